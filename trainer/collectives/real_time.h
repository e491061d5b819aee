#pragma once

namespace pacbench::trainer {

/// Keeps the calling thread in the real-time class SCHED_RR, where permitted; threads started
/// meanwhile stay there. With more ranks than cores a small collective otherwise waits for
/// wake-ups, not for links.
///
/// Only downwards is always possible: a process that the daemon started in the class, without the
/// right to enter it, does not come back. So begin with the highest priority.
class RealTimeScope {
 public:
  explicit RealTimeScope(int priority);
  RealTimeScope(const RealTimeScope&) = delete;
  RealTimeScope& operator=(const RealTimeScope&) = delete;
  ~RealTimeScope();  ///< back to the ordinary class

  /// For the threads to come.
  void lower_to(int priority);

  bool active() const { return active_; }

 private:
  bool active_ = false;
};

}  // namespace pacbench::trainer
