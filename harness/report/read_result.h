#pragma once

#include <string>

#include "spec/result.h"

namespace pacbench::report {

/// A result and the file it came from.
struct NamedResult {
  std::string path;
  RunResult result;
};

/// Reads result.json; `run` may be the file or its folder. Throws ConfigError or
/// std::system_error naming the file: when there is no run, or none that got as far as a result;
/// when the file is of another format version; and when it contradicts itself, as one edited by
/// hand does, so that its scenario has not the hash in it or has not the cells.
NamedResult read_result(const std::string& run);

/// How many cells the scenario of a run has.
std::size_t planned_cells(const RunResult& run);

}  // namespace pacbench::report
