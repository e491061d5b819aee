#pragma once

#include <c10/core/Event.h>

#include <memory>

namespace pacbench::trainer {

/// A GPU runs a thread's work asynchronously, in the order of the thread's current stream. That
/// work must have ended before another thread uses its result and before a time is measured. These
/// functions use torch's interface for any device, so building them needs no CUDA.

/// Waits until the device has done all work in the calling thread's current stream. Sleeps between
/// checks, as GpuMoment does. Returns at once for the host.
void wait_for_gpu(c10::Device device);

/// Makes the device the calling thread's current one, with a high-priority stream of torch's pool,
/// so that its work runs beside other threads' work. Does nothing for the host.
void take_own_stream(c10::Device device);

/// A point in the work that the calling thread has queued on a GPU.
class GpuMoment {
 public:
  /// The moment after all that is in the calling thread's current stream of `device`, a GPU.
  explicit GpuMoment(c10::Device device);

  bool reached() const { return event_->query(); }
  /// Waits, on any thread. Sleeps between checks: spinning would take a core from the links.
  void wait() const;

  static constexpr int kLookEveryUs = 50;

 private:
  std::shared_ptr<c10::Event> event_;
};

}  // namespace pacbench::trainer
