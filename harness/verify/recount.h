#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "harness/store/recorded_run.h"

namespace pacbench::verify {

/// The changes that recounting made to a run.
struct Recount {
  std::size_t cells = 0;             ///< whose numbers were written anew
  std::vector<std::string> changed;  ///< of them, those that differ now: folder, place, values
};

/// Writes the numbers of a run anew, from its raw lines by the rules of this pacbench. It writes
/// cell.json of every cell that came to its end, the times of composed curves and result.json, and
/// notes the recount in the manifest. All cells are recomputed before the first is written. Throws
/// ConfigError, having written nothing, when lines of a cell that has numbers are missing, were
/// changed or cannot be read.
Recount recount(const store::RecordedRun& run);

}  // namespace pacbench::verify
