#include "base/cpu_times.h"

#include <gmock/gmock.h>

namespace pacbench {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr const char* kStat =
    "cpu  0 0 0 0 0 0 0 0\ncpu0 100 20 30 400 50 6 70 8 9 10\ncpu1 10 0 0 20 0 0 5 0\n"
    "cpu10 100 0 0 200 0 0 0 0\nintr 7\ncpu11 1 1 1 1 1 1 1 1\n";
constexpr std::int64_t kTickNs = 10'000'000;

TEST(CpuTimes, CountWaitingForADiskAsIdleAndSoftirqByItself) {
  const auto all = cpu_times(kStat);
  EXPECT_THAT(numbers_of(all), ElementsAre(0, 1, 10));
  EXPECT_EQ(all[0].busy_ns, 150 * kTickNs);
  EXPECT_EQ(all[0].idle_ns, 450 * kTickNs);
  EXPECT_EQ(all[0].softirq_ns, 70 * kTickNs);
  EXPECT_EQ(all[0].stolen_ns, 8 * kTickNs);
  EXPECT_EQ(all[0].total_ns, (100 + 20 + 30 + 400 + 50 + 6 + 70 + 8) * kTickNs)
      << "guests are inside user";
  EXPECT_THAT(cpu_times("cpu  1 2 3\ncpu0 1 2 3\n"), IsEmpty());
}

TEST(CpuTimes, AreSummedOverTheGivenCpus) {
  const auto sum = sum_of(cpu_times(kStat), {1, 10});
  ASSERT_TRUE(sum);
  EXPECT_EQ(sum->idle_ns, 220 * kTickNs);
  EXPECT_EQ(sum->softirq_ns, 5 * kTickNs);
  EXPECT_EQ(sum->total_ns, 335 * kTickNs);
  EXPECT_FALSE(sum_of(cpu_times(kStat), {1, 2})) << "one has no line";
  EXPECT_FALSE(sum_of(cpu_times(kStat), {}));
}

}  // namespace
}  // namespace pacbench
