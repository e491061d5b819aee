#pragma once

#include <cstdint>

#include "base/clock.h"

namespace pacbench::trainer {

/// Measures training time: runs while the ranks train, and stands still while they do other work,
/// such as evaluation or saving their state.
class TrainingClock {
 public:
  void start() { started_ns_ = emulated_ns(); }
  void stop() { elapsed_ns_ += running_ns(), started_ns_ = 0; }
  double seconds() const { return pacbench::seconds(elapsed_ns_ + running_ns()); }

  /// The training time up to the last stop. Use it only while the clock is stopped, to save it or
  /// to set it to a saved value.
  std::int64_t& elapsed_ns() { return elapsed_ns_; }

 private:
  std::int64_t running_ns() const { return started_ns_ == 0 ? 0 : emulated_ns() - started_ns_; }

  std::int64_t elapsed_ns_ = 0;
  std::int64_t started_ns_ = 0;
};

}  // namespace pacbench::trainer
