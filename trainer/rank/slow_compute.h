#pragma once

#include <cstdint>

namespace pacbench::trainer {

/// Makes a rank's computing take longer by a factor, as on slower hardware: the thread that
/// computes waits (factor - 1) times as long as it has computed. It waits after the forward pass
/// and before each bucket is handed over, so that buckets become ready as late as on that hardware.
class SlowCompute {
 public:
  explicit SlowCompute(double factor) : factor_{factor} {}

  bool slows() const { return factor_ != 1; }

  void start();  ///< computing begins
  /// Waits (factor - 1) times as long as the thread has computed since start() or the last wait().
  void wait();

 private:
  double factor_;
  std::int64_t mark_ns_ = 0;
};

}  // namespace pacbench::trainer
