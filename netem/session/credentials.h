#pragma once

#include <sys/types.h>

#include <functional>
#include <vector>

namespace pacbench::netem {

/// The user at the other end of a connection.
struct Caller {
  uid_t uid = 0;
  gid_t gid = 0;
  std::vector<gid_t> groups;

  /// The caller as the kernel noted it when the connection was made. Throws std::system_error.
  static Caller of(int connection);
  /// The user of this process. A daemon in a user namespace uses it instead of of(): there is no
  /// other user there.
  static Caller self();
};

inline constexpr int kRealTimePriority = 10;

/// Lets this process, and the program that it executes later, use the real-time classes up to
/// kRealTimePriority. As a rule this raises a limit (CAP_SYS_RESOURCE), and the process stays in
/// the ordinary class. Where root may not raise limits, as in some containers, but holds
/// CAP_SYS_NICE, the process is put into SCHED_RR. Its threads inherit that class and may leave it
/// for good. So a program that wants both classes enters SCHED_RR if not in it, starts its
/// real-time threads, and leaves. Returns false where neither way is allowed.
bool allow_real_time();

/// Gives up all rights for good: this process becomes `caller`, without any capability and with no
/// way to gain one by exec. Throws std::system_error rather than keep any right. Only the group
/// list stays where the kernel forbids changing it, as in a user namespace made by an unprivileged
/// user. Before the process drops its capabilities, it calls `as_caller` as the caller, so that
/// `as_caller` looks things up with the caller's rights.
void become(const Caller& caller, const std::function<void()>& as_caller = {});

/// Whether a program can really enter a real-time class. A forked child calls allow_real_time() and
/// become(), and then tries it.
bool real_time_allowed(const Caller& caller);

/// While an object lives, and where it is allowed, this process has a higher priority than all
/// workers, their real-time threads included, so that it acts on time. Processes that it starts
/// meanwhile begin in the ordinary class.
class BeforeWorkers {
 public:
  BeforeWorkers();
  BeforeWorkers(const BeforeWorkers&) = delete;
  BeforeWorkers& operator=(const BeforeWorkers&) = delete;
  ~BeforeWorkers();
};

}  // namespace pacbench::netem
