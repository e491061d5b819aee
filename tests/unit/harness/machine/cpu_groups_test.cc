#include "harness/machine/cpu_allowance.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "base/files.h"

namespace pacbench {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr const char* kVersion2 =
    "25 30 0:23 / /sys rw,nosuid shared:7 - sysfs sysfs rw\n"
    "32 25 0:28 / /sys/fs/cgroup rw,nosuid,nodev shared:9 - cgroup2 cgroup2 rw,nsdelegate\n";
constexpr const char* kVersion1 =
    "31 23 0:28 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw,mode=755\n"
    "33 31 0:30 / /sys/fs/cgroup/cpuset rw shared:15 - cgroup cgroup rw,cpuset\n"
    "34 31 0:31 / /sys/fs/cgroup/cpu,cpuacct rw shared:16 - cgroup cgroup rw,cpu,cpuacct\n"
    "35 31 0:32 / /sys/fs/cgroup/unified rw shared:17 master:2 - cgroup2 cgroup2 rw\n";

TEST(CpuGroups, AreOwnOnesAndAllAncestorsBelowTheMount) {
  const auto mounted = [](const std::string& root, const std::string& at) {
    return "40 25 0:28 " + root + " " + at + " rw - cgroup2 cgroup2 rw,nsdelegate\n";
  };
  const struct {
    const char* what;
    std::string groups;
    std::string mounts;
    std::vector<std::string> expected;
  } cases[] = {
      {"of a session",
       "0::/user.slice/user-1000.slice/session-2.scope\n",
       kVersion2,
       {"/sys/fs/cgroup/user.slice/user-1000.slice/session-2.scope",
        "/sys/fs/cgroup/user.slice/user-1000.slice", "/sys/fs/cgroup/user.slice",
        "/sys/fs/cgroup"}},
      {"of a container with a namespace", "0::/\n", kVersion2, {"/sys/fs/cgroup"}},
      {"of a container without one, which begin at its mount",
       "0::/docker/3f5a/inner\n",
       mounted("/docker/3f5a", "/sys/fs/cgroup"),
       {"/sys/fs/cgroup/inner", "/sys/fs/cgroup"}},
      {"whose names are not known",
       "0::/\n",
       mounted("/../..", "/sys/fs/cgroup"),
       {"/sys/fs/cgroup"}},
      {"of another part of the tree", "0::/machine/ab", mounted("/machine/a", "/mnt"), {}},
      {"outside of the namespace", "0::/../other", kVersion2, {}},
      {"of no process", "", kVersion2, {}},
      {"mounted nowhere", "0::/a", "", {}},
      {"of the mount that shows most",
       "0::/a",
       mounted("/a", "/mnt") + kVersion2,
       {"/sys/fs/cgroup/a", "/sys/fs/cgroup"}},
      {"with blanks",
       "0::/a b",
       mounted("/", "/mnt/my\\040groups"),
       {"/mnt/my groups/a b", "/mnt/my groups"}},
  };
  for (const auto& [what, groups, mounts, expected] : cases) {
    EXPECT_EQ(cpu_groups(groups, mounts).version2, expected) << what;
    EXPECT_THAT(cpu_groups(groups, mounts).version1, IsEmpty()) << what;
  }
}

TEST(CpuGroups, OfTheTreeWithTheCpuControllerAndTheUnifiedOneWhereBothAreMounted) {
  const auto groups = cpu_groups(
      "9:cpuset:/small\n4:cpu,cpuacct:/batch/job7\n1:name=systemd:/init.scope\n0::/init.scope\n",
      kVersion1);
  EXPECT_THAT(groups.version1,
              ElementsAre("/sys/fs/cgroup/cpu,cpuacct/batch/job7",
                          "/sys/fs/cgroup/cpu,cpuacct/batch", "/sys/fs/cgroup/cpu,cpuacct"));
  EXPECT_THAT(groups.version2,
              ElementsAre("/sys/fs/cgroup/unified/init.scope", "/sys/fs/cgroup/unified"));
}

TEST(CpuQuota, IsANumberOfCpusInBothVersions) {
  EXPECT_EQ(quota_of_cpu_max("50000 100000\n"), 0.5);
  EXPECT_EQ(quota_of_cpu_max("max 100000\n"), std::nullopt);
  EXPECT_EQ(quota_of_cpu_max(""), std::nullopt);
  EXPECT_EQ(quota_of_cfs("150000\n", "100000\n"), 1.5);
  EXPECT_EQ(quota_of_cfs("-1\n", "100000\n"), std::nullopt);
  EXPECT_EQ(quota_of_cfs("", ""), std::nullopt);
}

TEST(CpuGroupStat, IsReadInBothVersions) {
  const auto two = cpu_group_stat(
      "usage_usec 9000\nuser_usec 5000\nsystem_usec 4000\nnr_periods 20\nnr_throttled 19\n"
      "throttled_usec 700\nnr_bursts 0\nburst_usec 0\n");
  EXPECT_EQ(two.used_ns, 9'000'000);
  EXPECT_EQ(two.periods, 20);
  EXPECT_EQ(two.throttled, 19);
  EXPECT_EQ(two.throttled_ns, 700'000);
  const auto one = cpu_group_stat(
      "nr_periods 20\nnr_throttled 19\nthrottled_time 700000\nwait_sum 5\nnr_bursts 0\n");
  EXPECT_EQ(one.used_ns, std::nullopt);
  EXPECT_EQ(one.throttled, 19);
  EXPECT_EQ(one.throttled_ns, 700'000);
  EXPECT_EQ(cpu_group_stat("usage_usec 1\n").throttled_ns, std::nullopt) << "the root's";
}

/// A folder that stands for a cgroup.
std::string group(const TemporaryFolder& folder, const std::string& name,
                  const std::vector<std::pair<std::string, std::string>>& files) {
  const auto path = folder.path() + "/" + name;
  std::filesystem::create_directories(path);
  for (const auto& [file, text] : files) std::ofstream{path + "/" + file} << text;
  return path;
}

TEST(CpuQuota, IsTheSmallestOfAGroupAndItsAncestorsAndThrottledTimeIsOfAllOfThem) {
  const TemporaryFolder folder;
  const auto inner =
      group(folder, "a/b", {{"cpu.max", "max 100000"}, {"cpu.stat", "throttled_usec 5\n"}});
  const auto outer =
      group(folder, "a", {{"cpu.max", "75000 50000"}, {"cpu.stat", "throttled_usec 7\n"}});
  const auto other =
      group(folder, "c", {{"cpu.cfs_quota_us", "200000"}, {"cpu.cfs_period_us", "100000"}});
  const auto quota = smallest_quota({{other}, {inner, outer, folder.path()}});
  ASSERT_TRUE(quota);
  EXPECT_EQ(quota->cpus, 1.5);
  EXPECT_EQ(quota->folder, outer);
  EXPECT_FALSE(smallest_quota({{}, {inner}}));
  EXPECT_EQ(throttled_ns({{}, {inner, outer, folder.path()}}), 12'000);
  EXPECT_EQ(throttled_ns({{}, {folder.path()}}), std::nullopt);
}

}  // namespace
}  // namespace pacbench
