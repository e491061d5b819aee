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
  /// The priorities of threads that exchange (Gloo's, and those that encode and decode), and of
  /// threads that only sleep in the place of work, which take no core from others and must wake up
  /// in time. Encoding has the wire's: the messages of eight ranks keep two cores busy for as long
  /// as a ring lasts, and below them an encoding of 0.2 ms waited for 10 ms.
  static constexpr int kExchangePriority = 5;
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
