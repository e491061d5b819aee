#include "netem/service/user_groups.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "base/files.h"

namespace pacbench::netem {
namespace {

/// The folder of the cgroup `cgroup` of a process whose file "mountinfo" in /proc holds `mounts`.
std::string folder_of(const std::string& cgroup, const std::string& mounts) {
  const TemporaryFolder process;
  write_file_atomically(process.path() + "/cgroup", "1:cpu:/other\n0::" + cgroup + "\n");
  write_file_atomically(process.path() + "/mountinfo", mounts);
  return cgroup_of(process.path());
}

TEST(CgroupOfAProcess, LiesBelowTheMountOfTheWholeHierarchy) {
  const auto mount = "41 31 0:38 / /sys/fs/cgroup rw,relatime - cgroup2 cgroup2 rw\n";
  EXPECT_EQ(folder_of("/", mount), "/sys/fs/cgroup");
  EXPECT_EQ(folder_of("/system.slice/a", mount), "/sys/fs/cgroup/system.slice/a");
}

TEST(CgroupOfAProcess, IsNotSoughtInAMountOfAnotherWhoseNameBeginsAlike) {
  const std::string other = "40 31 0:38 /pods/a /mnt/other rw - cgroup2 cgroup2 rw\n";
  const std::string own = "41 31 0:38 /pods/ab /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n";
  EXPECT_EQ(folder_of("/pods/ab", other + own), "/sys/fs/cgroup");
  EXPECT_EQ(folder_of("/pods/ab/c", other + own), "/sys/fs/cgroup/c");
  EXPECT_THROW(folder_of("/pods/ab", other), std::runtime_error);
}

}  // namespace
}  // namespace pacbench::netem
