#include "harness/machine/host_sampler.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace pacbench {
namespace {

TEST(IdleOfQuota, IsWhatIsLeftOfItOrOfItsPeriods) {
  constexpr std::int64_t kSecondNs = 1'000'000'000;
  const CpuGroupStat start{10, 4, {}, 2 * kSecondNs};
  // Half a CPU for a second, of which 0.4 s were used; the quota was used up in 3 of 10 periods.
  EXPECT_NEAR(*idle_of_quota(start, {20, 7, {}, 2'400'000'000}, 0.5, kSecondNs), 0.2, 1e-9);
  EXPECT_NEAR(*idle_of_quota(start, {20, 14, {}, 2'400'000'000}, 0.5, kSecondNs), 0, 1e-9);
  EXPECT_NEAR(*idle_of_quota(start, {20, 14, {}, 2 * kSecondNs}, 0.5, kSecondNs), 0, 1e-9);
  EXPECT_EQ(idle_of_quota(start, {10, 4, {}, 2 * kSecondNs}, 0.5, kSecondNs), 1) << "no work";
  EXPECT_EQ(idle_of_quota(start, {10, 4, {}, 3 * kSecondNs}, 0.5, kSecondNs), 0) << "beyond it";
  EXPECT_NEAR(*idle_of_quota({10, 4, {}, {}}, {20, 7, {}, {}}, 0.5, kSecondNs), 0.7, 1e-9)
      << "of a group whose use is not known";
  EXPECT_FALSE(idle_of_quota({}, {}, 0.5, kSecondNs));
}

TEST(UsableCpus, AreNamedWhereTheyAreFewerThanTheMachines) {
  HostSample sample{0.5, 0.1, {}};
  EXPECT_EQ(words_of_usable_cpus({sample}), "") << "not recorded";
  sample.usable_cpus = sample.machine_cpus = 2;
  EXPECT_EQ(words_of_usable_cpus({sample}), "");
  sample.usable_cpus = 0.5;
  EXPECT_EQ(words_of_usable_cpus({sample}), "0.5 of the machine's 2 CPUs");
  EXPECT_EQ(words_of_usable_cpus({}), "");
}

TEST(CpuPressure, IsTheTotalOfSomeWhereTheKernelKeepsIt) {
  const std::string full = "full avg10=0.00 avg60=0.00 avg300=0.00 total=7\n";
  EXPECT_EQ(cpu_pressure_us("some avg10=1.53 avg60=1.20 avg300=0.98 total=1234567\n" + full),
            1234567);
  EXPECT_FALSE(cpu_pressure_us(full));
  EXPECT_FALSE(cpu_pressure_us(""));
}

TEST(HostSampler, HasNoSampleBeforeASecondHasPassedButOneOfAShorterTimeWhenAsked) {
  HostSampler sampler;
  const auto start_ns = monotonic_ns();
  EXPECT_FALSE(sampler.sample(HostSampler::kPeriodNs, start_ns));
  EXPECT_FALSE(sampler.sample(HostSampler::kPeriodNs, start_ns + HostSampler::kPeriodNs - 1));
  // The kernel counts in ticks of 10 ms, so some ticks must pass first.
  std::this_thread::sleep_for(std::chrono::nanoseconds{HostSampler::kShortestNs});
  const auto sample = sampler.sample(HostSampler::kShortestNs, start_ns + HostSampler::kShortestNs);
  ASSERT_TRUE(sample);
  EXPECT_GE(sample->idle, 0);
  EXPECT_LE(sample->idle, 1);
}

TEST(HostSample, MedianIsOfThoseThatHaveIt) {
  const auto pressure = [](const HostSample& sample) { return sample.pressure; };
  EXPECT_FALSE(median_of({{0.5, 0.1, {}}}, pressure));
  EXPECT_EQ(
      median_of({{0.5, 0.1, 0.2}, {0.5, 0.1, {}}, {0.5, 0.1, 0.4}, {0.5, 0.1, 0.3}}, pressure),
      0.3);
}

}  // namespace
}  // namespace pacbench
