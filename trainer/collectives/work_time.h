#pragma once

#include <cstdint>
#include <optional>

#include "base/clock.h"
#include "trainer/collectives/own_core.h"

namespace pacbench::trainer {

/// How long one exchange has computed on the rank's executor, without its waits for collectives and
/// for other buckets. The time of GPU work after the last collective is left out.
class WorkTime {
 public:
  /// Stops the clock when the exchange begins to wait; go_on() starts it again.
  void pause() {
    OwnCore::of_this_thread().catch_up();
    total_ns_ = total_ns();
    paused_ = true;
    if (!encode_ns_) encode_ns_ = total_ns_;
  }
  void go_on() {
    if (!paused_) return;
    since_ns_ = emulated_ns();
    paused_ = false;
  }

  std::int64_t total_ns() const { return total_ns_ + (paused_ ? 0 : emulated_ns() - since_ns_); }
  /// The work before the first wait, which mostly is the wait for the first collective. Before that
  /// wait: all work so far.
  std::int64_t encode_ns() const { return encode_ns_.value_or(total_ns()); }

 private:
  std::int64_t total_ns_ = 0;
  std::int64_t since_ns_ = emulated_ns();
  bool paused_ = false;
  std::optional<std::int64_t> encode_ns_;
};

}  // namespace pacbench::trainer
