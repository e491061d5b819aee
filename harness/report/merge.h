#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "harness/difference.h"
#include "harness/report/read_result.h"
#include "spec/result.h"

namespace pacbench::report {

/// Where two runs measured different things: the first place in the canonical scenarios (name,
/// seeds, methods and targets aside) or the mode. Nothing when they may be merged.
std::optional<Difference> first_difference(const RunResult& found, const RunResult& expected);

/// Runs that measured the same thing, and all their cells as those of one.
struct MergedRuns {
  std::vector<NamedResult> runs;
  RunResult result;
};

/// All cells of runs that measured the same thing. Throws ConfigError naming both files when two
/// hold the same method, link and seed, or give one label to different methods. Targets are those
/// that all runs share.
RunResult merge_results(const std::vector<NamedResult>& runs);

/// Each run with those of its mode and workload, in the order in which these first occur. Throws
/// as merge_results does, and Incomparable when runs differ in anything else: within a group by
/// first_difference, between groups in all but mode, workload and, in mode learn, the network.
std::vector<MergedRuns> merge_by_workload(const std::vector<NamedResult>& runs);

/// Two runs that measured different things; says which, where, and both values.
class Incomparable : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace pacbench::report
