#pragma once

#include <string>

#include "analysis/export/exported_run.h"
#include "contract/catalogue/catalogue.h"

namespace pacbench::exports {

/// The log of one cell as MLPerf Training writes it (mlcommons/logging, rules 5.1): lines of
/// ":::MLLOG" and JSON, times in ms of the training clock. The run ends with "success" at the time
/// to the cell's last target: its lowest loss, or else its highest accuracy. It ends with "aborted"
/// at the end of a cell that did not reach this target. The log says that it is no MLPerf
/// submission. Throws ConfigError for a run of mode learn, in which nothing was timed, and for a
/// cell without a curve or a target. Throws it also for a user's own program, and for a data set
/// that the catalogue does not have.
std::string to_mllog(const ExportedRun& run, const CellResult& cell, const Catalogue& catalogue);

}  // namespace pacbench::exports
