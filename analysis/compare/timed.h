#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "analysis/compare/pairing.h"
#include "base/words.h"
#include "harness/statistics/hodges_lehmann.h"
#include "harness/statistics/mann_whitney.h"

namespace pacbench::compare {

struct CompareOptions {
  double threshold = 0.05;         ///< a change by less is none, as a share
  double encode_threshold = 0.10;  ///< for the encode time, a small part of a step
  double alpha = 0.01;             ///< chance of even one false alarm in a comparison
};

/// One time of one method over one link, all seeds and runs of either side.
struct TimedRow {
  enum class Verdict {
    kUnchanged,
    kImproved,
    kRegressed,
    kInconclusive,
    kUntested,  ///< there is nothing to compare: the reason is in `notes`
  };
  std::string label;
  std::string link;
  std::string metric;            ///< a key of a cell in result.json
  std::optional<Target> target;  ///< the target that a time to accuracy is to
  double threshold = 0;          ///< a change by less is none, as a share
  statistics::Strata seconds;    ///< infinite where the target was not reached
  statistics::MannWhitney test;
  double p_holm = 1;
  statistics::Ratio ratio;       ///< of next to base
  double p_slower = 1;           ///< p-value of next's times, were next slower by the threshold
  std::optional<double> spread;  ///< standard deviation within a side, as a share
  std::optional<std::size_t> runs_needed;  ///< values a side for a verdict, in kPower of cases
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

/// How likely a slow-down by the threshold may pass for "unchanged".
constexpr double kMissed = 0.05;

/// The share of comparisons of two equal sides that must find "unchanged" with `runs_needed`
/// values.
constexpr double kPower = 0.8;

/// For each method and link that both sides have, in the order of `pairs`, the time per iteration,
/// the encode time where it is at least kEncodeShare of it, and the time to each target that all
/// runs have. Values are those of done cells whose link is not suspect, a stratum for each seed
/// that both sides have such values of.
std::vector<TimedRow> timed_rows(const std::vector<CellPair>& pairs, const CompareOptions& options);

/// The encode time is compared only from this share of an iteration on: below it, its change is
/// lost.
constexpr double kEncodeShare = 0.05;

/// Tests every row that is not kUntested and sets its verdict. It is regressed or improved when the
/// sides differ at `alpha` and by the threshold, unchanged when a slow-down by the threshold is
/// excluded at kMissed, else inconclusive.
void test_rows(std::vector<TimedRow>& rows, double alpha);

}  // namespace pacbench::compare
