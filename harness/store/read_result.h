#pragma once

#include <memory>
#include <string>
#include <vector>

#include "contract/result/result.h"
#include "harness/store/packed_run.h"

namespace pacbench::store {

/// A result and the file it came from.
struct NamedResult {
  std::string path;  ///< of result.json, or of the archive that holds it
  RunResult result;
  std::shared_ptr<const RunPath> source{};  ///< null in tests alone

  /// The name of the run: that of its folder or archive, without what ends the latter.
  std::string name() const;
  /// The folder of the run. An archive is unpacked for it.
  std::string folder() const;
  std::string cell_folder(const CellResult& cell) const;
};

/// Reads the result of a run, which is named as for RunPath. Throws ConfigError or
/// std::system_error naming the file, when there is no run or its result is still missing, or when
/// the file has another format version. Also throws when the file contradicts itself, as after an
/// edit by hand: its scenario then does not match its hash or its cells.
NamedResult read_result(const std::string& run);

/// The positions in `known` of the cells that `names` lists, in the order of `known`; all positions
/// when `names` is empty. Throws ConfigError, listing the cells that there are in `folder`, when
/// one is unknown.
std::vector<std::size_t> chosen_cells(const std::vector<std::string>& known,
                                      const std::vector<std::string>& names,
                                      const std::string& folder);

/// How many cells the scenario of a run has.
std::size_t planned_cells(const RunResult& run);

}  // namespace pacbench::store
