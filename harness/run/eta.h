#pragma once

#include <cstddef>
#include <cstdint>

#include "base/clock.h"

namespace pacbench::run {

/// Estimates how long the rest of a run will take. The running cell's own iterations tell how long
/// that cell will take. Each cell still to come is expected to take the mean of this time and of
/// the finished cells' times.
class Eta {
 public:
  explicit Eta(std::size_t cells) : left_{cells} {}

  void cell_starts() {
    start_ns_ = monotonic_ns();
    first_ns_ = 0;
  }

  void cell_ends() {
    finished_s_ += seconds(monotonic_ns() - start_ns_);
    ++finished_;
    --left_;
  }

  /// Returns the seconds until the run ends. Returns -1 until the cell reports a second iteration,
  /// since the start of a cell says nothing about its steps.
  double seconds_left(std::int64_t iteration, std::int64_t iterations) {
    const auto now_ns = monotonic_ns();
    if (first_ns_ == 0) {
      first_ns_ = now_ns;
      first_iteration_ = iteration;
    }
    if (iteration == first_iteration_) return -1;
    const double per_iteration_s =
        seconds(now_ns - first_ns_) / static_cast<double>(iteration - first_iteration_);
    const double left_s = per_iteration_s * static_cast<double>(iterations - iteration);
    const double cell_s = seconds(now_ns - start_ns_) + left_s;
    const double mean_s = (finished_s_ + cell_s) / static_cast<double>(finished_ + 1);
    return left_s + mean_s * static_cast<double>(left_ - 1);
  }

 private:
  std::size_t left_;
  std::size_t finished_ = 0;
  double finished_s_ = 0;
  std::int64_t start_ns_ = 0;
  std::int64_t first_ns_ = 0;  ///< when the cell's first iteration was reported
  std::int64_t first_iteration_ = 0;
};

}  // namespace pacbench::run
