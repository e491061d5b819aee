#include "tests/emulation/delegated_cgroup.h"

#include <fmt/format.h>
#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <system_error>

#include "base/check.h"
#include "base/kernel_setting.h"
#include "tests/emulation/eventually.h"

namespace pacbench {
namespace {

/// Removes a group and its child groups. Returns false while a process is in one of them.
bool removed(const std::string& group) {
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator{group, none}) {
    if (entry.is_directory()) ::rmdir(entry.path().c_str());
  }
  return ::rmdir(group.c_str()) == 0;
}

}  // namespace

DelegatedCgroup::DelegatedCgroup(unsigned user) {
  std::filesystem::permissions(mounted_.path(), std::filesystem::perms{0755});
  check("unshare(CLONE_NEWNS)", ::unshare(CLONE_NEWNS));
  check("private mounts", ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr));
  check("mounting cgroup2", ::mount("cgroup2", mounted_.path().c_str(), "cgroup2", 0, nullptr));
  try {
    set_kernel_setting(mounted_.path() + "/cgroup.subtree_control", "+memory +pids");
  } catch (const std::system_error& error) {
    missing_ = fmt::format("cgroups of version 2 limit no memory here: {}", error.what());
    return;
  }
  static int number = 0;
  path_ = fmt::format("{}/pacbench-test-{}-{}", mounted_.path(), ::getpid(), ++number);
  std::filesystem::create_directory(path_);
  for (const char* file : {"", "/cgroup.procs", "/cgroup.threads", "/cgroup.subtree_control"}) {
    check("chown", ::chown((path_ + file).c_str(), user, user));
  }
}

DelegatedCgroup::~DelegatedCgroup() {
  // Processes that are being ended stay in their group for a moment.
  if (!path_.empty()) eventually([&] { return removed(path_); }, 5);
  ::umount2(mounted_.path().c_str(), MNT_DETACH);
}

long DelegatedCgroup::number(const std::string& group, const std::string& file,
                             const std::string& key) const {
  std::ifstream words{fmt::format("{}/{}/{}", path_, group, file)};
  std::string word;
  long value = -1;
  while (words >> word >> value) {
    if (word == key) return value;
  }
  return -1;
}

bool DelegatedCgroup::has(const std::string& group) const {
  return std::filesystem::exists(path_ + "/" + group);
}

}  // namespace pacbench
