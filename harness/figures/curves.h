#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/figures/cells.h"
#include "harness/statistics/spread.h"
#include "spec/worker_event.h"

namespace pacbench::figures {

/// Where all seeds of a method stand after the same iteration.
struct CurvePoint {
  std::int64_t iteration = 0;
  statistics::Spread training_s;
  statistics::Spread accuracy;
};

/// Seeds side by side, at the iterations that all of them were evaluated at: a curve that went on
/// with the seeds that are slow to reach a target would bend where the others stop.
std::vector<CurvePoint> median_curve(const std::vector<std::vector<EvaluationEvent>>& curves);

}  // namespace pacbench::figures
