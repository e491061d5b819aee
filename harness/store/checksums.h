#pragma once

#include <string>
#include <vector>

#include "harness/store/recorded_run.h"

namespace pacbench::store {

/// Whether the files of a run are as they were when they were recorded.
struct ChecksumCheck {
  int cells = 0;                      ///< whose files were checked
  int files = 0;                      ///< listed in their cell.json
  int without = 0;                    ///< cells that an earlier pacbench recorded without checksums
  std::vector<std::string> findings;  ///< file, found, expected
};

/// Checks the files of every cell that has ended against the checksums in its cell.json, and
/// manifest.json, result.json and cell.json against their own. A file that a run does not need to
/// go on (needed_to_go_on) may be missing. A cell.json that cannot be read is left to
/// verify_numbers() to report.
ChecksumCheck verify_checksums(const RecordedRun& run, const std::vector<plan::Cell>& cells);

}  // namespace pacbench::store
