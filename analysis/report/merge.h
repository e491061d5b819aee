#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "contract/result/result.h"
#include "harness/store/recorded_run.h"
#include "harness/text/difference.h"

namespace pacbench::report {

/// The names, each once, joined by " + ".
std::string joined_names(const std::vector<std::string>& names);

/// The part of a run that must agree where runs are compared, apart from its methods: the mode, and
/// the scenario without what compared_part() leaves out.
Json comparable_part(const RunResult& run);

/// The first difference between what two runs measured; nothing when they may be merged. It is in
/// the mode, the comparison hash, or the scenario without what compared_part() leaves out (such as
/// name, seeds, methods and targets).
std::optional<Difference> first_difference(const RunResult& found, const RunResult& expected);

/// Runs that measured the same thing, and one result with all their cells, each cell once.
struct MergedRuns {
  std::vector<store::NamedResult> runs;
  RunResult result;
  /// Every measurement of the cells that several runs have, those in `result` included.
  std::vector<CellResult> repeats{};
};

/// Whether a cell is done and its link was as declared.
bool is_sound(const CellResult& cell);

/// The cell's result for a target; null where it did not look for it.
const TargetResult* find_target(const CellResult& cell, const Target& wanted);

/// The measurement that represents all measurements of one cell. It is the middle one by time per
/// iteration among those that is_sound() accepts, of two middle ones the faster. When none is
/// sound, it is the first measurement.
const CellResult& standing_cell(const std::vector<const CellResult*>& repeats);

/// Merges runs that measured the same thing: all their cells, each once, and the targets that all
/// runs share. Throws ConfigError when two runs hold the same measurement of a cell (method, link
/// and seed). In mode learn, which repeats exactly, any two measurements of a cell count as the
/// same. Throws ConfigError also when two runs use one label for different methods, or when runs
/// share no target. Runs of a program of the user's own may be without targets.
MergedRuns merge_runs(std::vector<store::NamedResult> runs);

/// Merges runs of the same mode and workload, all with a curve or all without, into one group,
/// where they share a target. Groups are in the order in which they first occur. In mode simulate,
/// each comparison hash has its own group. Throws as merge_runs does, and Incomparable when
/// first_difference() finds something within a group. Throws Incomparable also when groups differ
/// in more than mode, workload and the keys of modes compose and simulate. The network and slow
/// workers may differ where one of the two groups is of mode learn. Two groups of mode simulate may
/// differ in anything.
std::vector<MergedRuns> merge_by_workload(const std::vector<store::NamedResult>& runs);

/// Thrown for two runs that measured different things. The message names the runs, the place of the
/// difference and both values.
class Incomparable : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace pacbench::report
