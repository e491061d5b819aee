#include "netem/service/user_groups.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <system_error>

#include "base/check.h"
#include "base/files.h"

namespace pacbench::netem {
namespace {

constexpr const char* kUserPrefix = "user-";

/// The path behind "0::" in the process's file "cgroup".
std::string path_in_hierarchy(const std::string& process) {
  constexpr std::string_view kUnified = "0::";
  std::ifstream lines{process + "/cgroup"};
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(kUnified)) return line.substr(kUnified.size());
  }
  throw std::runtime_error{"this kernel has no cgroups of version 2"};
}

/// Whether the cgroup `path` is `root` or lies below it.
bool is_within(std::string_view path, std::string_view root) {
  return path.starts_with(root) && (path.size() == root.size() || path[root.size()] == '/');
}

std::string memory_max(int percent) {
  const auto of_machine = std::int64_t{::sysconf(_SC_PHYS_PAGES)} * ::sysconf(_SC_PAGESIZE);
  return percent == 0 ? "max" : std::to_string(of_machine / 100 * percent);
}

std::string pids_max(int tasks) { return tasks == 0 ? "max" : std::to_string(tasks); }

void make_group(const std::string& folder) {
  std::error_code failed;
  std::filesystem::create_directory(folder, failed);
  if (failed) throw std::system_error{failed, "cannot make folder " + folder};
}

}  // namespace

std::string cgroup_of(const std::string& process) {
  const auto path = path_in_hierarchy(process);
  std::ifstream lines{process + "/mountinfo"};
  for (std::string line; std::getline(lines, line);) {
    const auto type = line.find(" - cgroup2 ");
    if (type == std::string::npos) continue;
    std::istringstream words{line};
    std::string number, parent, device, root, mounted_at;
    words >> number >> parent >> device >> root >> mounted_at;
    if (root == "/") return path == "/" ? mounted_at : mounted_at + path;
    if (is_within(path, root)) return mounted_at + path.substr(root.size());
  }
  throw std::runtime_error{"no cgroups of version 2 are mounted"};
}

UserGroups::UserGroups(std::string delegated, const GroupLimits& limits)
    : delegated_{std::move(delegated)}, limits_{limits} {
  try {
    const auto daemon = delegated_ + "/daemon";
    make_group(daemon);
    set_kernel_setting(daemon + "/cgroup.procs", "0");
    set_kernel_setting(delegated_ + "/cgroup.subtree_control", "+memory +pids");
    // Removes the users' groups that an earlier daemon left. The processes in them have ended.
    for (const auto& entry : std::filesystem::directory_iterator{delegated_}) {
      const auto name = entry.path().filename().string();
      if (name.starts_with(kUserPrefix)) ::rmdir(entry.path().c_str());
    }
  } catch (const std::exception& error) {
    throw std::runtime_error{
        fmt::format("{}; the unit must have Delegate=memory pids and ProtectControlGroups=no, and "
                    "the kernel must have these controllers in cgroups of version 2",
                    error.what())};
  }
}

UniqueFd UserGroups::open(uid_t user) const {
  const auto folder = folder_of(user);
  make_group(folder);
  set_kernel_setting(folder + "/memory.max", memory_max(limits_.memory_percent));
  set_kernel_setting(folder + "/pids.max", pids_max(limits_.tasks));
  const auto processes = folder + "/cgroup.procs";
  return UniqueFd{check(processes.c_str(), ::open(processes.c_str(), O_WRONLY | O_CLOEXEC))};
}

void UserGroups::remove(uid_t user) const { ::rmdir(folder_of(user).c_str()); }

std::string UserGroups::folder_of(uid_t user) const {
  return fmt::format("{}/{}{}", delegated_, kUserPrefix, user);
}

}  // namespace pacbench::netem
