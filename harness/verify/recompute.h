#pragma once

#include <optional>
#include <vector>

#include "contract/result/result.h"
#include "contract/worker/worker_event.h"
#include "harness/record/probe_book.h"
#include "harness/store/recorded_run.h"

namespace pacbench::verify {

/// Whether the last line of a cell's events.jsonl says that the cell ended. Numbers alone do not
/// show this: a resumed run that was killed may leave the numbers of an earlier end.
bool has_ended(const store::RecordedRun& run, const plan::Cell& cell);

/// The numbers that follow from a cell's raw lines.
struct Recomputed {
  CellResult result;
  /// Modes compose and simulate: the curve at the times that the measured iterations give it.
  /// Absent in other modes, without a curve, and where the cell failed before the recorded training
  /// was added to its lines.
  std::optional<std::vector<EvaluationEvent>> curve;
};

/// Computes a cell's numbers from its raw lines. Throws ConfigError, naming file and line, when the
/// lines cannot be read. Throws as record::composed_clock does.
Recomputed recompute(const store::RecordedRun& run, const plan::Cell& cell,
                     const record::ProbeBook& probes);

}  // namespace pacbench::verify
