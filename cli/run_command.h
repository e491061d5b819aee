#pragma once

#include <string>
#include <vector>

#include "cli/cluster_option.h"

namespace pacbench::cli {

/// The options of `pacbench run`.
struct RunOptions {
  std::string scenario;
  std::string out;
  std::vector<std::string> overrides;
  std::vector<std::string> only;
  std::string daemon = "auto";
  launch::ClusterOptions cluster;
  std::string format = "text";
  bool resume = false;
  bool dry_run = false;
  bool no_progress = false;
  bool accept_suspect = false;
  std::vector<std::string> again;
};

/// Runs all cells of a scenario, prints its table, and returns the exit code.
int run_cells(const RunOptions& typed);

}  // namespace pacbench::cli
