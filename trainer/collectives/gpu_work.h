#pragma once

#include <ATen/core/Tensor.h>

#include <memory>

namespace pacbench::trainer {

/// A GPU does later what a thread asks of it, in the order of the thread's current stream. Between
/// threads, and for every measured time, the end of that work counts. These functions use torch's
/// view of any device, so building them needs nothing of CUDA.

/// Waits until all that the calling thread has put into its current stream of the device is done,
/// as GpuMoment does. Returns at once for the host.
void wait_for_gpu(c10::Device device);

/// Gives the calling thread a stream of its own on the device, beside those of other threads. Does
/// nothing for the host.
void take_own_stream(c10::Device device);

/// A point in what the calling thread has asked of a GPU.
class GpuMoment {
 public:
  /// The moment after all that is in the calling thread's current stream of `device`, a GPU.
  explicit GpuMoment(c10::Device device);

  bool reached() const;
  /// Waits, on any thread. Sleeps between checks: spinning would take a core from the links.
  void wait() const;

  static constexpr int kLookEveryUs = 50;

 private:
  struct Event;
  std::shared_ptr<Event> event_;
};

}  // namespace pacbench::trainer
