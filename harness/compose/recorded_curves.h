#pragma once

#include <string>
#include <vector>

#include "contract/worker/worker_event.h"
#include "harness/record/record.h"
#include "harness/store/recorded_run.h"

namespace pacbench::compose {

/// The parts of a trained cell that a composed cell uses.
struct RecordedCurve {
  std::vector<EvaluationEvent> evaluations;
  record::Training training;
};

/// The learning curves of an earlier run that trained, for cells of modes compose and simulate.
class RecordedCurves {
 public:
  /// Opens the run that the scenario names. Throws ConfigError when that run did not train itself
  /// (mode compose or simulate), or lacks a method or seed of the scenario. Throws it too when
  /// workload, number of workers or a method's options differ, since they decide a curve. The error
  /// names the folder and each difference.
  RecordedCurves(const Scenario& scenario, const Catalogue& catalogue);

  /// The curve of this cell's method and seed from the first link over which it is complete. Most
  /// curves do not depend on the link; a curve that does comes from a link with equal link_facts().
  /// Throws ConfigError when there is no such curve.
  RecordedCurve of(const plan::Cell& cell) const;

 private:
  bool depends_on_link(const plan::Cell& cell) const;

  store::RecordedRun run_;
  const Catalogue& catalogue_;
};

}  // namespace pacbench::compose
