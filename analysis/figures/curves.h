#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/figures/cells.h"
#include "contract/worker/worker_event.h"
#include "harness/statistics/spread.h"

namespace pacbench::figures {

/// The evaluations of all seeds of a method after one iteration, as spreads over the seeds.
struct CurvePoint {
  std::int64_t iteration = 0;
  statistics::Spread training_s;
  statistics::Spread accuracy;
};

/// Returns the points at the iterations after which every seed has an accuracy. A curve that went
/// on with the slow seeds alone would bend where the other seeds stop.
std::vector<CurvePoint> median_curve(const std::vector<std::vector<EvaluationEvent>>& curves);

}  // namespace pacbench::figures
