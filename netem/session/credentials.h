#pragma once

#include <sys/types.h>

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
/// enters a mount namespace, when given one: as the caller, so that nothing is looked up in it
/// with other rights than theirs.
void become(const Caller& caller, int mount_namespace = -1);

/// True when a program started by allow_real_time() and become() can really enter a real-time
/// class. Found by doing it in a child.
bool real_time_allowed(const Caller& caller);

}  // namespace pacbench::netem
