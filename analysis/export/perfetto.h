#pragma once

#include "analysis/export/chrome_trace.h"
#include "analysis/export/exported_run.h"

namespace pacbench::exports {

/// The timeline of a run as Chrome's trace JSON, for Perfetto (https://ui.perfetto.dev), cell after
/// cell: a process for the run, with a slice for each cell and the rates of trunks, and one for
/// each rank, with a track of what it computes, one of each bucket's exchange, and counters of its
/// link's rate, of what it sent, and of what it had left to send. Traces are read and written line
/// by line. Cells without iterations are not in it. Throws ConfigError when none has any, or naming
/// the file and line of one that cannot be read.
void write_perfetto(const ExportedRun& run, const Write& write);

}  // namespace pacbench::exports
