#include "trainer/rank/slow_compute.h"

#include <chrono>
#include <thread>

#include "base/clock.h"

namespace pacbench::trainer {

void SlowCompute::start() { mark_ns_ = monotonic_ns(); }

void SlowCompute::wait() {
  if (!slows()) return;
  const auto computed_ns = static_cast<double>(monotonic_ns() - mark_ns_);
  std::this_thread::sleep_for(
      std::chrono::nanoseconds{static_cast<std::int64_t>((factor_ - 1) * computed_ns)});
  start();
}

}  // namespace pacbench::trainer
