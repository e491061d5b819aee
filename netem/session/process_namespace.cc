#include "netem/session/process_namespace.h"

#include <fmt/format.h>
#include <linux/close_range.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <stdexcept>

#include "base/check.h"
#include "base/files.h"

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

std::string value_of(const char* path) {
  std::string value;
  std::ifstream{path} >> value;
  return value;
}

NamespaceSettings settings() {
  NamespaceSettings found;
  found.in_container =
      ::access("/.dockerenv", F_OK) == 0 || ::access("/run/.containerenv", F_OK) == 0;
  found.apparmor_restricts =
      value_of("/proc/sys/kernel/apparmor_restrict_unprivileged_userns") == "1";
  found.clone_refused = value_of("/proc/sys/kernel/unprivileged_userns_clone") == "0";
  found.none_allowed = value_of("/proc/sys/user/max_user_namespaces") == "0";
  return found;
}

/// Ends this process when nobody holds the other end of the pipe any more.
[[noreturn]] void wait_for_end(int lifeline) {
  ::prctl(PR_SET_NAME, "netd-first");
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  // Orphans become children of the first process; nobody needs their exit status.
  ::signal(SIGCHLD, SIG_IGN);
  constexpr int kLifeline = 0;
  ::dup2(lifeline, kLifeline);
  // Any other descriptor held here would keep a connection or a namespace alive.
  ::close_range(kLifeline + 1, ~0U, 0);
  char byte = 0;
  while (::read(kLifeline, &byte, 1) < 0 && errno == EINTR) {
  }
  ::_exit(0);
}

}  // namespace

std::string cure(const NamespaceSettings& found) {
  if (found.in_container && !found.none_allowed) {
    return "A container may not make namespaces unless it is started with docker run --cap-add "
           "SYS_ADMIN --cap-add NET_ADMIN --security-opt apparmor=unconfined --security-opt "
           "seccomp=unconfined.";
  }
  const char* setting = found.none_allowed ? "user.max_user_namespaces=10000"
                        : found.apparmor_restricts
                            ? "kernel.apparmor_restrict_unprivileged_userns=0"
                        : found.clone_refused ? "kernel.unprivileged_userns_clone=1"
                                              : nullptr;
  const bool is_apparmor = found.apparmor_restricts && !found.none_allowed;
  const char* who = is_apparmor ? "Ubuntu's AppArmor keeps" : "The kernel keeps";
  if (setting == nullptr) return "Run pacbench as root: sudo pacbench ...";
  return fmt::format(
      "{} users from making network namespaces: run sudo sysctl -w {}, or run pacbench as root.",
      who, setting);
}

Privilege leave_host_network() {
  if (::unshare(CLONE_NEWNET) == 0) return Privilege::kRoot;
  const int direct = errno;
  const auto caller = ::geteuid();  // within a user namespace it would be another number
  try {
    enter_user_namespace();
    check("unshare(CLONE_NEWNET) inside it", ::unshare(CLONE_NEWNET));
    return Privilege::kUserNamespace;
  } catch (const std::system_error& error) {
    throw std::runtime_error{
        fmt::format("cannot make a network namespace, so no link can be shaped.\nTried as user {}: "
                    "unshare(CLONE_NEWNET): {}; then a user namespace: {}.\n{}",
                    caller, std::strerror(direct), error.what(), cure(settings()))};
  }
}

Privilege leave_network_of_service() {
  if (::unshare(CLONE_NEWNET) == 0) return Privilege::kService;
  if (errno == ENOSPC) {
    throw std::runtime_error{
        "the kernel allows this user no more network namespaces (unshare: No space left on device; "
        "user.max_net_namespaces); end runs, and programs that hold a network namespace of a run "
        "that has ended"};
  }
  throw std::runtime_error{fmt::format(
      "the service pacbench-netd cannot make a network namespace: unshare(CLONE_NEWNET): {}; its "
      "unit must grant CAP_SYS_ADMIN and have RestrictNamespaces=net pid mnt ipc",
      std::strerror(errno))};
}

ChargedTo::ChargedTo(std::optional<uid_t> user) : before_{::geteuid()}, parent_{::getppid()} {
  if (!user) return;
  check("seteuid", ::seteuid(*user));
  changed_ = true;
}

ChargedTo::~ChargedTo() {
  if (!changed_) return;
  // If this process went on as that user, the user could change its priority (setpriority(2)).
  if (::seteuid(before_) < 0) std::abort();
  // The kernel clears both settings when a process changes its user.
  ::prctl(PR_SET_DUMPABLE, 1);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent_) ::_exit(1);  // the service has died meanwhile
}

ProcessNamespace::ProcessNamespace(std::optional<uid_t> charged) : lifeline_{Pipe::create()} {
  {
    const ChargedTo user{charged};
    check("unshare(CLONE_NEWPID)", ::unshare(CLONE_NEWPID));
  }
  const auto pid = check("fork", ::fork());
  if (pid == 0) wait_for_end(lifeline_.read.get());
  first_ = ChildProcess{pid};
  lifeline_.read.reset();
}

bool mount_own_proc() {
  if (::unshare(CLONE_NEWNS) < 0) return false;
  // Mounts that the user makes later still arrive in this namespace. The mount of /proc below does
  // not reach the user's shell.
  if (::mount(nullptr, "/", nullptr, MS_REC | MS_SLAVE, nullptr) < 0) return false;
  return ::mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, nullptr) == 0;
}

}  // namespace pacbench::netem
