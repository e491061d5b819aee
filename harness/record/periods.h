#pragma once

#include <cstdint>
#include <optional>

#include "harness/record/quiet_steps.h"

namespace pacbench::record {

/// Finds after how many iterations long steps return, such as those in which local SGD exchanges.
/// A step is long from 1.5 × the median on; the first step does not count. The period is accepted
/// where, at some of its places, at least three steps and nine of ten are long, and where these
/// places have two thirds of all long steps. Returns 1 where fewer than three steps are long, or
/// the mean step is less than 1.1 × the median. Otherwise long steps return at no fixed distance:
/// returns 0, or 1 where fewer than a third of them are in the second half, as where a program only
/// warms up.
///
/// Disturbances may have touched the few long steps of a short run. So where quiet steps show no
/// period, one that `all` steps of the cell show is taken.
std::int64_t period_of(const QuietSteps& quiet, const std::vector<CellRecord::Step>& all);

/// The time of an iteration over whole periods: the mean, over the places of a period, of the
/// median step at that place (with the weights of `quiet`). For a period of 0 it is the mean of all
/// steps. The first step does not count, unless it is the only one at its place. Absent where a
/// place has no step, for example because all its steps were disturbed.
std::optional<double> step_over_periods_s(const QuietSteps& quiet, std::int64_t period);

}  // namespace pacbench::record
