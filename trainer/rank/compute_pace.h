#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace pacbench::trainer {

/// Keeps the pieces of a rank's computing, forward and then backward up to each bucket, at the pace
/// of a worker: it takes `factor` times as long as this machine, or with time dilation as a core of
/// this machine. With `compute_ms` above 0 an iteration takes `factor` times as long as that. A
/// piece ends before its result is used, so that buckets are ready as late as on that worker.
class ComputePace {
 public:
  explicit ComputePace(double factor, double compute_ms = 0)
      : factor_{factor}, compute_ms_{compute_ms} {}

  bool slows() const { return factor_ != 1 || compute_ms_ > 0; }
  /// Whether measure() must be called first.
  bool needs_measure() const;

  /// Forward began as the thread's piece (OwnCore::begin()) and has ended; waits as long as the
  /// pace asks.
  void end_forward();
  /// The same of backward up to a bucket.
  void end_piece();

  /// Runs iterations whose pieces nobody waits for. Afterwards a piece counts as long as it took
  /// there at most (the median). On a busy machine the CPU time of a thread is longer: the kernel
  /// charges packets to the thread that they interrupt, and threads share caches. Throws
  /// std::runtime_error where this machine needs longer than compute_ms.
  void measure(const std::function<void()>& iterations);
  bool measures() const { return measures_; }

 private:
  void note_cost();
  std::int64_t most_ns() const;

  double factor_;
  double compute_ms_;
  bool measures_ = false;
  std::size_t piece_ = 0;
  std::vector<std::vector<std::int64_t>> measured_ns_;  ///< of each piece
  std::vector<std::int64_t> quiet_ns_;
};

}  // namespace pacbench::trainer
