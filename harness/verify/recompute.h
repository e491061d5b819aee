#pragma once

#include "harness/fidelity/probe_book.h"
#include "harness/verify/recorded_run.h"
#include "spec/result.h"

namespace pacbench::verify {

/// Whether the last line about a cell is its end: a resumed run that was killed leaves the numbers
/// of an earlier end in place.
bool has_ended(const RecordedRun& run, const run::Cell& cell);

/// The numbers of a cell from its raw lines. Throws ConfigError or ProtocolError, naming file and
/// line, when they cannot be read.
CellResult recompute(const RecordedRun& run, const run::Cell& cell,
                     const fidelity::ProbeBook& probes);

}  // namespace pacbench::verify
