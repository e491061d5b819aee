#pragma once

#include <string>

#include "harness/record/record.h"

namespace pacbench::record {

/// Adds what the recorded lines of a cell say to `record`. Throws as store::for_each_event does,
/// and ConfigError naming file and line for a line that is no event of a cell.
CellRecord read_record(const std::string& cell_folder, CellRecord record);

}  // namespace pacbench::record
