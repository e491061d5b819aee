#include "netem/session/credentials.h"

#include <grp.h>
#include <linux/capability.h>
#include <linux/keyctl.h>
#include <linux/securebits.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <exception>

#include "base/check.h"
#include "base/files.h"
#include "base/subprocess.h"

namespace pacbench::netem {
namespace {

/// Whether the group list cannot be changed, as in a user namespace made by an unprivileged user.
bool groups_are_fixed() { return read_file("/proc/self/setgroups").starts_with("deny"); }

void drop_bounding_set() {
  for (int capability = 0; ::prctl(PR_CAPBSET_READ, capability) >= 0; ++capability) {
    check("PR_CAPBSET_DROP", ::prctl(PR_CAPBSET_DROP, capability));
  }
}

/// Stops user 0, once without capabilities, from getting them back by exec or by changing its user.
void lock_secure_bits() {
  constexpr unsigned long kBits = SECBIT_NOROOT | SECBIT_NOROOT_LOCKED | SECBIT_NO_SETUID_FIXUP |
                                  SECBIT_NO_SETUID_FIXUP_LOCKED | SECBIT_KEEP_CAPS_LOCKED |
                                  SECBIT_NO_CAP_AMBIENT_RAISE | SECBIT_NO_CAP_AMBIENT_RAISE_LOCKED;
  check("PR_SET_SECUREBITS", ::prctl(PR_SET_SECUREBITS, kBits));
}

/// Joins an empty session keyring of the caller's own: otherwise all users of the service would
/// share its keyring. Where the kernel has no keyrings, or a container forbids them, nothing is
/// shared.
void leave_session_keyring() { ::syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, nullptr); }

void drop_capabilities() {
  check("PR_CAP_AMBIENT_CLEAR_ALL", ::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0));
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  std::array<__user_cap_data_struct, _LINUX_CAPABILITY_U32S_3> none{};
  check("capset", ::syscall(SYS_capset, &header, none.data()));
}

}  // namespace

Caller Caller::of(int connection) {
  ucred peer{};
  socklen_t size = sizeof peer;
  check("SO_PEERCRED", ::getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &size));
  Caller caller{peer.uid, peer.gid, {}};
  size = 0;
  // When given no room, the kernel reports how much it needs.
  if (::getsockopt(connection, SOL_SOCKET, SO_PEERGROUPS, nullptr, &size) < 0 && errno == ERANGE) {
    caller.groups.resize(size / sizeof(gid_t));
    check("SO_PEERGROUPS",
          ::getsockopt(connection, SOL_SOCKET, SO_PEERGROUPS, caller.groups.data(), &size));
  }
  return caller;
}

Caller Caller::self() { return {::getuid(), ::getgid(), {}}; }

bool allow_real_time() {
  const rlimit limit{kRealTimePriority, kRealTimePriority};
  if (::setrlimit(RLIMIT_RTPRIO, &limit) == 0) return true;
  const sched_param priority{kRealTimePriority};
  return ::sched_setscheduler(0, SCHED_RR, &priority) == 0;
}

void become(const Caller& caller, const std::function<void()>& as_caller) {
  drop_bounding_set();
  lock_secure_bits();
  if (!groups_are_fixed()) {
    check("setgroups", ::setgroups(caller.groups.size(), caller.groups.data()));
  }
  check("setresgid", ::setresgid(caller.gid, caller.gid, caller.gid));
  check("setresuid", ::setresuid(caller.uid, caller.uid, caller.uid));
  leave_session_keyring();
  // SECBIT_NO_SETUID_FIXUP has kept the capabilities over setresuid(), and as_caller needs them.
  if (as_caller) as_caller();
  drop_capabilities();
  check("PR_SET_NO_NEW_PRIVS", ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
}

bool real_time_allowed(const Caller& caller) {
  const auto pid = check("fork", ::fork());
  if (pid == 0) {
    try {
      allow_real_time();
      become(caller);
      const sched_param priority{kRealTimePriority};
      ::_exit(::sched_setscheduler(0, SCHED_RR, &priority) == 0 ? 0 : 1);
    } catch (const std::exception&) {
      ::_exit(1);
    }
  }
  return ChildProcess{pid}.wait().ok();
}

// A refusal is no error: the steps of a schedule report how late they came.
BeforeWorkers::BeforeWorkers() {
  const sched_param priority{kRealTimePriority + 1};
  const rlimit limit{kRealTimePriority + 1, kRealTimePriority + 1};
  ::setrlimit(RLIMIT_RTPRIO, &limit);
  ::sched_setscheduler(0, SCHED_RR | SCHED_RESET_ON_FORK, &priority);
}

BeforeWorkers::~BeforeWorkers() {
  const sched_param none{0};
  // SCHED_RESET_ON_FORK stays set: only root may clear this flag, and it does no harm.
  ::sched_setscheduler(0, SCHED_OTHER | SCHED_RESET_ON_FORK, &none);
}

}  // namespace pacbench::netem
