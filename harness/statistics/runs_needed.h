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

/// How far values lie from the middle of their side of their stratum, as logarithms, all together;
/// the factor √(N / (N − sides)) makes up for middles taken from the values themselves. Values that
/// are not finite or not positive are left out. Empty when no side has two values.
std::vector<double> log_residuals(const Strata& strata);

/// The share of comparisons of `n` values a side that would find the change: two sides drawn from
/// `residuals`, one of them shifted, put to the Mann-Whitney test, a thousand times over, the same
/// on every machine. Throws std::invalid_argument when there are no residuals.
double share_found(const std::vector<double>& residuals, std::size_t n, const Demand& demand);

/// The fewest values a side with which share_found() is at least what is demanded, give or take
/// one or two (U is a whole number, so that the share does not grow evenly); nothing when `most`
/// are too few.
std::optional<std::size_t> runs_needed(const std::vector<double>& residuals, const Demand& demand,
                                       std::size_t most = 200);

/// The fewest values a side for which any two-sided p can get to `alpha` at all.
std::size_t fewest_runs(double alpha);

}  // namespace pacbench::statistics
