#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "harness/statistics/strata.h"

namespace pacbench::statistics {

/// The change that a comparison has to find: one by `ratio` at the level `alpha` (two-sided), in at
/// least `power` of all comparisons.
struct Demand {
  double ratio = 1.05;
  double alpha = 0.01;
  double power = 0.8;
};

/// The log distances of all values from the median of their side in their stratum. The factor
/// √(N / (N − S)), for N values on S sides, corrects for medians taken from the values themselves.
/// Values that are not finite or not positive are left out, and then sides with fewer than two
/// values. Empty when no side is left.
std::vector<double> log_residuals(const Strata& strata);

/// The share of comparisons of `n` values a side that would find the change. A thousand times, two
/// sides are drawn from `residuals`, one is shifted, and the Mann-Whitney test compares them. The
/// draws are the same on every machine. Throws std::invalid_argument when there are no residuals.
double share_found(const std::vector<double>& residuals, std::size_t n, const Demand& demand);

/// The fewest values a side with which share_found() reaches `demand.power`; nothing when `most`
/// are too few. The number may be off by one or two: U is a whole number, so the share does not
/// grow evenly.
std::optional<std::size_t> runs_needed(const std::vector<double>& residuals, const Demand& demand,
                                       std::size_t most = 200);

/// The fewest values a side for which any two-sided p can get to `alpha` at all.
std::size_t fewest_runs(double alpha);

}  // namespace pacbench::statistics
