#include "trainer/rank/slow_compute.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "base/clock.h"

namespace pacbench::trainer::slow_compute_test {
namespace {

constexpr std::chrono::milliseconds kComputing{20};

/// The time that wait() takes after kComputing of computing, in nanoseconds.
std::int64_t waited_ns(double factor) {
  SlowCompute compute{factor};
  compute.start();
  std::this_thread::sleep_for(kComputing);
  const auto before_ns = monotonic_ns();
  compute.wait();
  return monotonic_ns() - before_ns;
}

/// The least of five tries, so that a host which pauses now and then does not change it.
std::int64_t least_waited_ns(double factor) {
  auto least_ns = waited_ns(factor);
  for (int attempt = 0; attempt < 4; ++attempt) least_ns = std::min(least_ns, waited_ns(factor));
  return least_ns;
}

TEST(SlowCompute, WaitsForTheRestOfItsFactor) {
  const std::int64_t computed_ns = std::chrono::nanoseconds{kComputing}.count();
  EXPECT_GE(least_waited_ns(3), 2 * computed_ns);
  EXPECT_LT(least_waited_ns(3), 4 * computed_ns);
}

TEST(SlowCompute, WaitsForNothingWithAFactorOfOne) {
  EXPECT_LT(least_waited_ns(1), std::chrono::nanoseconds{kComputing}.count() / 4);
}

}  // namespace
}  // namespace pacbench::trainer::slow_compute_test
