#pragma once

#include <array>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "analysis/compare/pairing.h"
#include "base/words.h"
#include "harness/statistics/hodges_lehmann.h"
#include "harness/statistics/mann_whitney.h"

namespace pacbench::compare {

struct CompareOptions {
  double threshold = 0.05;         ///< the smallest change that counts, as a fraction
  double encode_threshold = 0.10;  ///< the same for the encode time, a small part of a step
  double alpha = 0.01;             ///< chance of even one false alarm in a comparison
  /// Labels of methods that decide by measured times (labels_by_time()). What they send and learn
  /// may differ from run to run, so it is not compared.
  std::set<std::string> by_time = {};
};

/// One time of one method over one link, with all seeds and runs of both sides.
struct TimedRow {
  enum class Verdict {
    kUnchanged,
    kImproved,
    kRegressed,
    kInconclusive,
    kUntested,  ///< left out of the tests: the reason is in `notes`
  };
  std::string label;
  std::string link;
  std::string metric;            ///< a key of a cell in result.json
  std::optional<Target> target;  ///< set only where metric is "tta_s"
  double threshold = 0;          ///< the smallest change that counts, as a fraction
  statistics::Strata seconds;    ///< infinite where the target was not reached
  statistics::MannWhitney test;
  double p_holm = 1;
  statistics::Ratio ratio;       ///< of next to base
  double p_slower = 1;           ///< p-value of next's times if next were slower by the threshold
  std::optional<double> spread;  ///< relative standard deviation within a side; absent if unknown
  /// Values (runs × seeds) that a side needs for a verdict. Set only where the row is inconclusive
  /// and the sides are not known to differ; absent even then where 200 values are too few.
  std::optional<std::size_t> runs_needed;
  Verdict verdict = Verdict::kUntested;
  std::vector<std::string> notes;
};

}  // namespace pacbench::compare

namespace pacbench {

template <>
struct Words<compare::TimedRow::Verdict> {
  static constexpr std::array kAll{"unchanged", "improved", "regressed", "inconclusive",
                                   "not tested"};
};

}  // namespace pacbench

namespace pacbench::compare {

/// The largest probability that a slow-down by the threshold passes for "unchanged".
constexpr double kMissed = 0.05;

/// The share of comparisons of two equal sides that must find "unchanged" when each side has
/// `runs_needed` values.
constexpr double kPower = 0.8;

/// Makes the rows of each method and link that both sides have, in the order of `pairs`. Cells
/// count when they are done and their link is not suspect. The rows are the time per iteration, the
/// encode time, and the time to each target that all of these cells have. kUntested are an encode
/// time below kEncodeShare of an iteration on both sides, and the time to a target that no run
/// reached. Each seed with such cells on both sides is a stratum. Without any stratum there is only
/// the row of the time per iteration.
std::vector<TimedRow> timed_rows(const std::vector<CellPair>& pairs, const CompareOptions& options);

/// The encode time is tested only from this fraction of an iteration on. A change of a shorter
/// encode time hardly changes the iteration.
constexpr double kEncodeShare = 0.05;

/// Tests every row that is not kUntested and sets its verdict. A row is regressed or improved when
/// the sides differ at `alpha` and by the threshold. It is unchanged when a slow-down by the
/// threshold is excluded at kMissed, else inconclusive.
void test_rows(std::vector<TimedRow>& rows, double alpha);

}  // namespace pacbench::compare
