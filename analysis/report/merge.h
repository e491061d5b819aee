#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "contract/result/result.h"
#include "harness/store/read_result.h"
#include "harness/text/difference.h"

namespace pacbench::report {

/// The first difference between what two runs measured: a place in the canonical scenarios (name,
/// seeds, methods and targets aside) or the mode. Nothing when they may be merged.
std::optional<Difference> first_difference(const RunResult& found, const RunResult& expected);

/// Runs that measured the same thing, with all their cells joined into one result.
struct MergedRuns {
  std::vector<store::NamedResult> runs;
  RunResult result;
  /// Every measurement of the cells that several runs have.
  std::vector<CellResult> repeats{};
};

/// Whether a cell is done, over links as declared.
bool is_sound(const CellResult& cell);

/// The measurement that stands for all measurements of one cell: the middle one by time per
/// iteration, among those that are done over a link as declared, if there are any.
const CellResult& standing_cell(const std::vector<const CellResult*>& repeats);

/// All cells of runs that measured the same thing, each once. Throws ConfigError naming both files
/// when two hold the same measurement of one method, link and seed, or one that repeats exactly
/// (mode learn), or use one label for different methods. Keeps the targets that all runs share.
MergedRuns merge_runs(std::vector<store::NamedResult> runs);

/// Merges the runs of each mode and workload, in the order in which these first occur. Throws as
/// merge_runs does, and Incomparable when runs differ in anything else: within a group by
/// first_difference, between groups in all but mode, workload and, in mode learn, the network.
std::vector<MergedRuns> merge_by_workload(const std::vector<store::NamedResult>& runs);

/// Two runs that measured different things; says which, where, and both values.
class Incomparable : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace pacbench::report
