#include "trainer/rank/compute_pace.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "base/clock.h"
#include "trainer/collectives/own_core.h"

namespace pacbench::trainer {

bool ComputePace::needs_measure() const { return time_dilation > 1 || compute_ms_ > 0; }

void ComputePace::end_forward() {
  piece_ = 0;
  auto& core = OwnCore::of_this_thread();
  measures_ ? note_cost() : core.go_on(factor_, most_ns());
  ++piece_;
}

void ComputePace::end_piece() {
  auto& core = OwnCore::of_this_thread();
  measures_ ? note_cost() : core.catch_up(factor_, most_ns());
  ++piece_;
}

void ComputePace::note_cost() {
  auto& core = OwnCore::of_this_thread();
  if (measured_ns_.size() <= piece_) measured_ns_.resize(piece_ + 1);
  measured_ns_[piece_].push_back(core.cost_ns());
  core.begin();
}

std::int64_t ComputePace::most_ns() const {
  return piece_ < quiet_ns_.size() ? quiet_ns_[piece_] : OwnCore::kAnyCost;
}

void ComputePace::measure(const std::function<void()>& iterations) {
  measures_ = true;
  iterations();
  measures_ = false;
  quiet_ns_.clear();
  for (auto& costs_ns : measured_ns_) {
    const auto middle = costs_ns.begin() + std::ssize(costs_ns) / 2;
    std::nth_element(costs_ns.begin(), middle, costs_ns.end());
    quiet_ns_.push_back(*middle);
  }
  if (compute_ms_ == 0) return;
  const double quiet_ms = 1e-6 * static_cast<double>(std::accumulate(
                                     quiet_ns_.begin(), quiet_ns_.end(), std::int64_t{0}));
  if (quiet_ms > compute_ms_ * time_dilation) {
    throw std::runtime_error{fmt::format(
        "forward and backward take {:.3g} ms on a core of this machine, longer than the {:g} ms of "
        "worker_speed.compute_ms; use a time_dilation of at least {:.0f}",
        quiet_ms, compute_ms_, std::ceil(quiet_ms / compute_ms_))};
  }
  factor_ *= compute_ms_ / quiet_ms;
}

}  // namespace pacbench::trainer
