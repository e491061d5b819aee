#pragma once

#include "harness/record/record.h"

namespace pacbench::record {

/// The traffic of a program of the user's own: the counters at the end, less those at the start of
/// training if the program reported it. These are sums over its ranks and iterations, as in
/// CellRecord::totals() for pacbench's workers; what only workers report stays 0. A program that
/// reports no steps counts as one iteration. All are zero until the counters at the end are
/// recorded.
CellRecord::Totals program_totals(const CellRecord& record);

/// Returns the seconds from when all ranks had been started until the last rank ended. While some
/// still run, the last end so far counts; before the first end the result is 0.
double program_wall_s(const CellRecord& record);

/// Bytes over the control network as a share of all that the program's ranks sent. 0 when they sent
/// nothing.
double control_share(const CellRecord& record);

}  // namespace pacbench::record
