#pragma once

#include <algorithm>
#include <limits>

namespace pacbench {

/// A budget that refills at the rate `per_s`, up to the bound `most`. It reads no clock: each
/// caller passes the time.
class TokenBucket {
 public:
  struct Terms {
    double most = 0;
    double per_s = 0;
  };

  /// The budget `left` at the time `at_s`, in seconds of any clock that does not jump. `left` is
  /// negative when more was taken than there was.
  struct State {
    double left = 0;
    double at_s = 0;
  };

  static TokenBucket full(Terms terms, double now_s) { return {terms, {terms.most, now_s}}; }
  TokenBucket(Terms terms, State state) : terms_{terms}, state_{state} {}

  const State& state() const { return state_; }

  /// Returns the seconds until the budget holds `count`; 0 means now. The wait is infinite for a
  /// count above the bound.
  double wait_s(double count, double now_s) const {
    if (count > terms_.most) return std::numeric_limits<double>::infinity();
    return std::max(0.0, (count - left(now_s)) / terms_.per_s);
  }
  /// Takes `count`, whether the budget holds that much or not.
  void take(double count, double now_s) { state_ = {left(now_s) - count, now_s}; }

 private:
  double left(double now_s) const {
    return std::min(terms_.most, state_.left + terms_.per_s * (now_s - state_.at_s));
  }

  Terms terms_;
  State state_;
};

}  // namespace pacbench
