#pragma once

#include <sched.h>

namespace pacbench::trainer {

/// Keeps the calling thread in the real-time class SCHED_RR, where permitted. Threads that it
/// starts meanwhile inherit the class and keep it. With more ranks than cores a small collective
/// otherwise waits for wake-ups, not for links.
///
/// A change to a lower class or priority is always possible. A process that the daemon started in
/// the class, without the right to enter it, cannot return to it or raise its priority again.
class RealTimeScope {
 public:
  /// The priorities of threads that exchange (Gloo's, and those that encode and decode), and of
  /// threads that only sleep instead of working. Sleepers take no core from others and must wake up
  /// in time. Encoding has the priority of Gloo's threads. At a lower one an encoding of 0.2 ms
  /// waited for 10 ms, since eight ranks' messages keep two cores busy during a ring all-reduce.
  static constexpr int kExchangePriority = 5;
  static constexpr int kSleeperPriority = 8;

  explicit RealTimeScope(int priority) : active_{set_class(SCHED_RR, priority)} {}
  RealTimeScope(const RealTimeScope&) = delete;
  RealTimeScope& operator=(const RealTimeScope&) = delete;
  /// Returns the thread to the ordinary class.
  ~RealTimeScope() {
    if (active_) set_class(SCHED_OTHER, 0);
  }

  /// Changes the calling thread's priority. Threads that it starts later inherit the new one. Does
  /// nothing when not permitted.
  void move_to(int priority) {
    if (active_) set_class(SCHED_RR, priority);
  }

  bool active() const { return active_; }

 private:
  static bool set_class(int policy, int priority) {
    sched_param parameter{};
    parameter.sched_priority = priority;
    return ::sched_setscheduler(0, policy, &parameter) == 0;
  }

  bool active_;
};

}  // namespace pacbench::trainer
