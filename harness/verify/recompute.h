#pragma once

#include <optional>
#include <vector>

#include "harness/fidelity/probe_book.h"
#include "harness/verify/recorded_run.h"
#include "spec/result.h"
#include "spec/worker_event.h"

namespace pacbench::verify {

/// Whether the last line about a cell is its end: a resumed run that was killed leaves the numbers
/// of an earlier end in place.
bool has_ended(const RecordedRun& run, const run::Cell& cell);

/// What follows from a cell's raw lines.
struct Recomputed {
  CellResult result;
  /// Mode compose: the curve at the times that the measured iterations give it; absent where they
  /// give none, since the cell did not come to its end.
  std::optional<std::vector<EvaluationEvent>> curve;
};

/// Throws ConfigError or ProtocolError, naming file and line, when the lines cannot be read.
Recomputed recompute(const RecordedRun& run, const run::Cell& cell,
                     const fidelity::ProbeBook& probes);

}  // namespace pacbench::verify
