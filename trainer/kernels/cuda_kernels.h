#pragma once

#include <cstddef>
#include <string>

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

/// Says why there is no GPU to run kernels on; empty when there is one.
std::string no_gpu();

/// Allocates memory that the host and the first GPU can use; it moves to where it is used. All
/// functions below but free_shared throw std::runtime_error on a failure, and where there is no
/// GPU.
void* allocate_shared(std::size_t bytes);
void free_shared(void* memory) noexcept;

/// Puts a copy within the GPU's memory into the stream of the calling thread's OnStream.
void copy_on_gpu(void* to, const void* from, std::size_t bytes);

/// Waits for all that was put into the stream of the calling thread's OnStream.
void wait_for_gpu();

extern const MaskKernels kCudaMasks;
extern const RoundingKernels kCudaRounding;
extern const LaneKernelsByWidth kCudaLanes;

}  // namespace pacbench::trainer::raw
