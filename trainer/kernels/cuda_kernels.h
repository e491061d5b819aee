#pragma once

#include "trainer/kernels/kernel_table.h"

namespace pacbench::trainer::raw {

/// While an object of this class lives, its device is the calling thread's current one, and the
/// thread's kernels go into its stream. The destructor restores the former device and stream.
class OnStream {
 public:
  /// `stream` is a cudaStream_t of the device; null is the device's default stream. Throws
  /// std::runtime_error when this build has no kernels for GPUs, or when CUDA cannot use `device`.
  OnStream(int device, void* stream);
  ~OnStream();
  OnStream(const OnStream&) = delete;
  OnStream& operator=(const OnStream&) = delete;

 private:
  int outer_device_ = 0;
  void* outer_stream_ = nullptr;
};

/// The kernels for memory of a GPU; they give the same bits as the plain kernels. They are put into
/// the stream of the calling thread's OnStream, and those that return a result wait for that
/// stream. On a failure they throw std::runtime_error with CUDA's message.
const KernelTable& cuda_kernels();

extern const MaskKernels kCudaMasks;
extern const RoundingKernels kCudaRounding;
extern const LaneKernelsByWidth kCudaLanes;

}  // namespace pacbench::trainer::raw
