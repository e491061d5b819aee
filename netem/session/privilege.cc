#include "netem/session/privilege.h"

#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <string>

#include "base/check.h"
#include "base/kernel_setting.h"

namespace pacbench::netem {
namespace {

void enter_user_namespace() {
  const auto uid = ::geteuid();
  const auto gid = ::getegid();
  check("unshare(CLONE_NEWUSER)", ::unshare(CLONE_NEWUSER));
  // Without this the kernel lets no unprivileged process write a group map.
  set_kernel_setting("/proc/self/setgroups", "deny");
  set_kernel_setting("/proc/self/uid_map", fmt::format("0 {} 1", uid));
  set_kernel_setting("/proc/self/gid_map", fmt::format("0 {} 1", gid));
}

/// Says in words what value a kernel setting has that may be why namespaces are refused. Empty
/// where the kernel does not have the setting.
std::string found(const char* setting, const char* path) {
  std::ifstream file{path};
  std::string value;
  if (!(file >> value)) return {};
  return fmt::format("\n  {} is {}", setting, value);
}

std::string advice() {
  return "\nDo one of:\n"
         "  - run it as root: sudo pacbench run ...\n"
         "  - allow user namespaces, as root: sysctl -w user.max_user_namespaces=10000\n"
         "    Debian before 11 also: sysctl -w kernel.unprivileged_userns_clone=1\n"
         "    Ubuntu since 23.10 also: sysctl -w kernel.apparmor_restrict_unprivileged_userns=0\n"
         "  - in a container: start it with the capabilities SYS_ADMIN and NET_ADMIN\n"
         "Settings found:" +
         found("user.max_user_namespaces", "/proc/sys/user/max_user_namespaces") +
         found("user.max_net_namespaces", "/proc/sys/user/max_net_namespaces") +
         found("kernel.unprivileged_userns_clone", "/proc/sys/kernel/unprivileged_userns_clone") +
         found("kernel.apparmor_restrict_unprivileged_userns",
               "/proc/sys/kernel/apparmor_restrict_unprivileged_userns");
}

}  // namespace

Privilege leave_host_network() {
  if (::unshare(CLONE_NEWNET) == 0) return Privilege::kRoot;
  const int direct = errno;
  const auto caller = ::geteuid();  // within a user namespace it would be another number
  try {
    enter_user_namespace();
    check("unshare(CLONE_NEWNET) inside it", ::unshare(CLONE_NEWNET));
    return Privilege::kUserNamespace;
  } catch (const std::system_error& error) {
    throw NoPrivilege{
        fmt::format("cannot make a network namespace, so no link can be shaped.\nTried as user {}: "
                    "unshare(CLONE_NEWNET): {}; then a user namespace: {}.{}",
                    caller, std::strerror(direct), error.what(), advice())};
  }
}

Privilege leave_network_of_service() {
  if (::unshare(CLONE_NEWNET) == 0) return Privilege::kService;
  if (errno == ENOSPC) {
    throw NoPrivilege{
        "the kernel allows this user no more network namespaces (unshare: No space left on device; "
        "user.max_net_namespaces); end runs, and programs that hold a network namespace of a run "
        "that has ended"};
  }
  throw NoPrivilege{fmt::format(
      "the service pacbench-netd cannot make a network namespace: unshare(CLONE_NEWNET): {}; its "
      "unit must grant CAP_SYS_ADMIN and have RestrictNamespaces=net pid mnt ipc",
      std::strerror(errno))};
}

}  // namespace pacbench::netem
