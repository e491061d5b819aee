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

  /// As the kernel noted when the connection was made. Throws std::system_error.
  static Caller of(int connection);
  /// This process itself: inside a user namespace there is nobody else to become.
  static Caller self();
};

inline constexpr int kRealTimePriority = 10;

/// Lets this process, and what it becomes, use the real-time classes up to kRealTimePriority. As
/// a rule that is a limit (CAP_SYS_RESOURCE), and it stays in the ordinary class. Where root may
/// not raise limits, as in some containers, but holds CAP_SYS_NICE, the process is put into
/// SCHED_RR, which its threads inherit and may leave, for good. So a program that wants both:
/// enter SCHED_RR (no change when there already), start the threads that belong there, leave.
bool allow_real_time();

/// Gives up everything for good: this process becomes `caller`, without any capability and with
/// no way to gain one by exec. Throws std::system_error rather than keep anything. On the way it
/// calls `as_caller`, as the caller but still with its capabilities: what that looks up, it looks
/// up with the caller's rights.
void become(const Caller& caller, const std::function<void()>& as_caller = {});

/// True when a program started by allow_real_time() and become() can really enter a real-time
/// class. Found by doing it in a child.
bool real_time_allowed(const Caller& caller);

}  // namespace pacbench::netem
