#include "harness/machine/cpu_allowance.h"

#include <gmock/gmock.h>
#include <sched.h>

#include <thread>

namespace pacbench {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(CpuList, IsReadAndWrittenAsTheKernelDoes) {
  EXPECT_THAT(parse_cpu_list("0-2,8\n"), ElementsAre(0, 1, 2, 8));
  EXPECT_THAT(parse_cpu_list("5"), ElementsAre(5));
  for (const auto* other : {"", "a", "3-", "3-1", "-1", "1;2", "0-99999999"}) {
    EXPECT_THAT(parse_cpu_list(other), IsEmpty()) << other;
  }
  EXPECT_EQ(cpu_list({0, 1, 2, 8}), "0-2,8");
  EXPECT_EQ(cpu_list({}), "");
}

TEST(CpuAllowance, IsTheSmallerOfMaskAndQuota) {
  const CpuAllowance all{{0, 1}, 2, {}};
  EXPECT_FALSE(all.is_limited());
  EXPECT_EQ(words_of_limits(all), "");
  const CpuAllowance pinned{{0}, 2, {}};
  EXPECT_EQ(pinned.usable(), 1);
  EXPECT_EQ(words_of_limits(pinned), "1 of 2 CPUs (taskset or cpuset)");
  const CpuAllowance half{{0, 1}, 2, CpuQuota{0.5, ""}};
  EXPECT_EQ(half.usable(), 0.5);
  EXPECT_EQ(words_of_limits(half), "0.5 CPUs of 2 (cgroup quota)");
  const CpuAllowance both{{0, 1}, 4, CpuQuota{1.5, ""}};
  EXPECT_EQ(words_of_limits(both), "1.5 CPUs of 4 (cgroup quota; 2 by taskset or cpuset)");
  const CpuAllowance roomy{{0}, 2, CpuQuota{2, ""}};
  EXPECT_FALSE(roomy.quota_limits());
  EXPECT_EQ(words_of_limits(roomy), "1 of 2 CPUs (taskset or cpuset)");
}

TEST(CpuAllowance, OfAProcessHasTheCpusOfItsMask) {
  std::thread{[] {
    cpu_set_t before;
    ASSERT_EQ(::sched_getaffinity(0, sizeof before, &before), 0);
    int first = 0;
    while (!CPU_ISSET(first, &before)) ++first;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    ASSERT_EQ(::sched_setaffinity(0, sizeof one, &one), 0);
    const auto allowance = CpuAllowance::read("/proc/thread-self");
    EXPECT_THAT(allowance.cpus, ElementsAre(first));
    EXPECT_GE(allowance.machine_cpus, CPU_COUNT(&before));
  }}.join();
  const auto ended = CpuAllowance::read("/proc/0");
  EXPECT_EQ(static_cast<int>(ended.cpus.size()), ended.machine_cpus) << "that of the machine";
}

}  // namespace
}  // namespace pacbench
