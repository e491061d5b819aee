#pragma once

namespace pacbench::trainer {

/// Keeps the calling thread in the real-time class SCHED_RR, where permitted; threads started
/// meanwhile stay there. With more ranks than cores a small collective otherwise waits for
/// wake-ups, not for links.
///
/// Only downwards is always possible: a process that the daemon started in the class, without the
/// right to enter it, does not come back, and its priority does not rise again.
class RealTimeScope {
 public:
  /// The priorities of threads that encode and decode; of Gloo's threads; and of threads that only
  /// sleep in the place of work, which take no core from others and must wake up in time.
  static constexpr int kMethodPriority = 2;
  static constexpr int kWirePriority = 5;
  static constexpr int kSleeperPriority = 8;

  explicit RealTimeScope(int priority);
  RealTimeScope(const RealTimeScope&) = delete;
  RealTimeScope& operator=(const RealTimeScope&) = delete;
  ~RealTimeScope();  ///< back to the ordinary class

  /// For the threads to come. What is not permitted changes nothing.
  void move_to(int priority);

  bool active() const { return active_; }

 private:
  bool active_ = false;
};

}  // namespace pacbench::trainer
