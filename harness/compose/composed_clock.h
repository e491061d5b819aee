#pragma once

#include <cstdint>
#include <vector>

#include "harness/cell/record.h"

namespace pacbench {

/// The training clock of a whole training, from the iterations of it that crossed the links.
///
/// Iterations 1 to n were measured, and settle in their first half: masks, windows, caches. Up to
/// the half they count as they were; each one after it as the mean of the second half.
class ComposedClock {
 public:
  /// The clock at the end of each measured iteration, s. Throws std::invalid_argument when fewer
  /// than 4 are there.
  explicit ComposedClock(const std::vector<double>& clock_s);

  /// The clock at the end of `iteration`; 0 before the first.
  double at(std::int64_t iteration) const;

  /// The middle 95 % of what the clock would have shown had these iterations come otherwise: the
  /// second half drawn again, with replacement, 2000 times (Efron and Tibshirani 1993, 13.3), the
  /// same draws everywhere. It knows nothing of what differs between runs and seeds.
  struct Interval {
    double low_s = 0;
    double high_s = 0;
  };
  Interval interval(std::int64_t iteration) const;

 private:
  std::vector<double> first_half_s_;  ///< clock at the end of each, from 0
  std::vector<double> settled_s_;     ///< length of each of the others
  std::vector<double> means_s_;       ///< of the second half drawn again, ascending
  double mean_s_ = 0;
};

/// That of rank 0 of a cell. Throws as the constructor does.
ComposedClock composed_clock(const CellRecord& record);

}  // namespace pacbench
