#pragma once

#include "analysis/export/chrome_trace.h"
#include "analysis/export/exported_run.h"

namespace pacbench::exports {

/// Writes the timeline of a run as Chrome's trace JSON, for Perfetto (https://ui.perfetto.dev),
/// cell after cell. The run is a process with a slice for each cell, and counters of the accuracy
/// and of the trunks' declared rates. Each rank is a process with a track of what it computes and
/// one for each bucket's exchange. Its counters are the declared rates of its link, the rates at
/// which it sent and received, and the bytes of its incomplete collectives. In mode learn there are
/// no rates. Traces are read and written line by line. Cells without iterations are left out.
/// Throws ConfigError when no cell has any, or when a line cannot be read, naming the file and
/// line.
void write_perfetto(const ExportedRun& run, const Write& write);

}  // namespace pacbench::exports
