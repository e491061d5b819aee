#include "trainer/ddp/slow_compute.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "base/clock.h"

namespace pacbench::trainer::slow_compute_test {
namespace {

constexpr std::chrono::milliseconds kComputing{20};

/// How long wait() takes after some computing, in nanoseconds.
std::int64_t waited_ns(double factor) {
  SlowCompute compute{factor};
  compute.start();
  std::this_thread::sleep_for(kComputing);
  const auto before_ns = monotonic_ns();
  compute.wait();
  return monotonic_ns() - before_ns;
}

TEST(SlowCompute, WaitsForTheRestOfItsFactor) {
  const std::int64_t computed_ns = std::chrono::nanoseconds{kComputing}.count();
  EXPECT_GE(waited_ns(3), 2 * computed_ns);
}

}  // namespace
}  // namespace pacbench::trainer::slow_compute_test
