#pragma once

#include <string>
#include <vector>

#include "harness/verify/recorded_run.h"

namespace pacbench::verify {

/// What the recorded numbers of a run were found to be.
struct NumbersCheck {
  int cells = 0;                      ///< recomputed
  std::vector<std::string> missing;   ///< folders of cells that have not come to their end
  std::vector<std::string> findings;  ///< file, place, found, expected
};

/// Recomputes every cell from its raw lines and compares each number with cell.json and with
/// result.json: the first that differs of each. What both say of the scenario is compared with the
/// manifest. Cells that have not come to their end, whichever file they are in, are
/// missing.
NumbersCheck verify_numbers(const RecordedRun& run, const std::vector<run::Cell>& cells);

}  // namespace pacbench::verify
