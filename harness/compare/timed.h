#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/compare/pairing.h"
#include "harness/statistics/hodges_lehmann.h"
#include "harness/statistics/mann_whitney.h"

namespace pacbench {

struct CompareOptions {
  double threshold = 0.05;  ///< a change by less is none, as a share
  double alpha = 0.01;      ///< chance of even one false alarm in a comparison
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
  std::optional<double> target;  ///< accuracy that the time is to
  std::vector<double> base;      ///< seconds; infinite where the target was not reached
  std::vector<double> next;
  MannWhitney test;
  double p_holm = 1;
  Ratio ratio;                             ///< of next to base
  std::optional<double> share_found;       ///< of such comparisons that find the threshold
  std::optional<std::size_t> runs_needed;  ///< values a side to find it in 80 %
  Verdict verdict = Verdict::kUntested;
  std::vector<std::string> notes;
};

const char* word_of(TimedRow::Verdict verdict);

/// The share of comparisons that have to find a change by the threshold for "unchanged" to mean
/// something.
constexpr double kPower = 0.8;

/// Of each method and link that both sides have, in the order of `pairs`: time per iteration, the
/// encode time where it is at least kEncodeShare of it, and the time to each target that all runs
/// have. Values are those of done cells whose link is not suspect, of seeds that both sides have.
std::vector<TimedRow> timed_rows(const std::vector<CellPair>& pairs);

/// Below this share of an iteration a change of the encode time by the threshold is lost in it.
constexpr double kEncodeShare = 0.02;

/// Tests every row that is not kUntested and says what became of it.
void test_rows(std::vector<TimedRow>& rows, const CompareOptions& options);

}  // namespace pacbench
