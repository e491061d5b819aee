#pragma once

#include <vector>

#include "contract/worker/worker_event.h"
#include "harness/record/record.h"
#include "harness/store/recorded_run.h"

namespace pacbench::compose {

/// Opens the run that trained from which the scenario, of mode compose or simulate, takes learning
/// curves. Throws ConfigError when that run did not train itself, or lacks a method or seed of the
/// scenario. Throws it too when workload, number of workers or a method's options differ, since
/// they decide a curve. The error names the folder and each difference.
store::RecordedRun open_curves(const Scenario& scenario, const Catalogue& catalogue);

/// The parts of a trained cell that a composed cell uses.
struct RecordedCurve {
  std::vector<EvaluationEvent> evaluations;
  record::Training training;
};

/// The curve of this cell's method and seed from the first link of the run over which it is
/// complete. Most curves do not depend on the link; a curve that does comes from a link with equal
/// link_facts(). Throws ConfigError when there is no such curve.
RecordedCurve curve_of(const store::RecordedRun& run, const plan::Cell& cell,
                       const Catalogue& catalogue);

}  // namespace pacbench::compose
