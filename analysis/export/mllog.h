#pragma once

#include <string>

#include "analysis/export/exported_run.h"
#include "contract/catalogue/catalogue.h"

namespace pacbench::exports {

/// The log of one cell as MLPerf Training writes it (mlcommons/logging, rules 5.1): lines of
/// ":::MLLOG" and JSON, times in ms of the training clock. The run ends with "success" at the time
/// to the highest target, or with "aborted" at the end of a cell that did not reach it. The log
/// says that it is no MLPerf submission. Throws ConfigError for a run of mode learn, in which
/// nothing was timed, or of a data set that the catalogue does not know.
std::string to_mllog(const ExportedRun& run, const CellResult& cell, const Catalogue& catalogue);

}  // namespace pacbench::exports
