#pragma once

#include <array>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "analysis/compare/side.h"
#include "base/words.h"
#include "contract/catalogue/catalogue.h"
#include "harness/statistics/two_sides.h"

namespace pacbench::compare {

/// The largest accepted difference of measured wire bytes, as a fraction of the base's.
/// Acknowledgements and retransmissions vary.
constexpr double kWireTolerance = 0.01;

/// The check of one quantity of one cell. The quantity does not depend on time.
struct GateCheck {
  enum class Found {
    kEqual,
    kBroken,    ///< the sides differ
    kUnstable,  ///< undecided: runs of one side differ, or values are missing
    kNotAsked,  ///< the check does not apply: the reason is in `words`
  };
  std::string label;
  std::string link;
  std::int64_t seed = 0;
  std::string quantity;
  std::string base;  ///< as text; empty where there is nothing to show
  std::string next;
  Found found = Found::kEqual;
  std::string words;  ///< why it is not equal
};

/// Returns why equal bits are not promised between these cells; empty where they are promised. The
/// reason is that cells computed on GPUs, or that another CPU model, number of cores or torch
/// version adds floats in another order.
std::string why_no_bits(const std::vector<RecordedCell>& base,
                        const std::vector<RecordedCell>& next);

/// Checks that every cell came to its end. Payload, collectives and expected bytes per iteration
/// must agree exactly. Curves must equal that of the first base cell bit by bit (iteration,
/// accuracy and loss of each evaluation) where equal bits are promised (why_no_bits()), else they
/// are kNotAsked. Nothing shows of a single base run of a user's own program that seeds decide its
/// curve; there a difference is kUnstable. Measured wire bytes, medians over runs whose links are
/// not suspect, must agree within kWireTolerance; mode learn has none. A method whose message sizes
/// depend on gradients sends other bytes with every seed or processor. So, where equal bits are not
/// promised, a difference in payload, collectives or expected bytes becomes kNotAsked if it is no
/// larger than that between base seeds. For a method in `by_time` only the end is checked.
std::vector<GateCheck> check_gate(const std::vector<CellPair>& pairs,
                                  const std::set<std::string>& by_time);

/// The labels of those methods of a canonical scenario that decide by measured times
/// (MethodTraits::depends_on_time).
std::set<std::string> labels_by_time(const Json& scenario, const Catalogue& catalogue);

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

/// Whether the row is not kUntested and has times of both sides.
bool can_be_tested(const TimedRow& row);

/// Tests every row that is not kUntested and sets its verdict. A row is regressed or improved when
/// the sides differ at `alpha` and by the threshold. It is unchanged when a slow-down by the
/// threshold is excluded at kMissed, else inconclusive.
void test_rows(std::vector<TimedRow>& rows, double alpha);

/// The outcome of a comparison: the first of these that holds, from the worst down.
enum class Outcome {
  kRegressed,     ///< the gate is broken, or a time regressed
  kIncomparable,  ///< the machines differ: no check is broken, no time compared
  kInconclusive,  ///< nothing is known to be worse, but not all could be decided
  kFine,
};

/// A number that can be compared between two machines, as it depends little on how fast they
/// compute. It is a median, or a ratio of medians, over all done cells whose links are not suspect.
struct CarriedRow {
  std::string label;
  std::string link;
  std::string quantity;  ///< "step / all-reduce's", "iterations to 95 %"
  std::optional<double> base;
  std::optional<double> next;
  std::string note;  ///< why both sides may differ; empty where they should agree
};

/// Returns two kinds of rows for every method and link with usable cells on both sides. The first
/// is the median time per iteration, divided by that of all-reduce on the same side. All-reduce
/// itself has no such row, nor has a link without all-reduce on both sides. The second is the
/// median of the iterations to each target that all cells look for. It is over the cells that
/// reached the target, and absent where half or more did not. `note` names a method that is
/// cpu-bound, so that its step depends on the number of cores. For iterations it says where the
/// sides may add floats in different orders (why_no_bits()), so that iterations may differ. Mode
/// learn has only the rows of iterations.
std::vector<CarriedRow> carried_rows(const std::vector<CellPair>& pairs);

/// One side, as the heading of a comparison shows it.
struct SideSummary {
  std::vector<std::string> folders;
  std::vector<std::string> commits;  ///< each once
};

/// Two sides compared with each other; see docs/STATISTICS.md.
struct Comparison {
  static constexpr const char* kFormat = "pacbench.comparison/3";

  CompareOptions options;
  std::string scenario;  ///< its name
  Mode mode = Mode::kEmulate;
  std::string comparison_hash;
  std::string machine;
  SideSummary base;
  SideSummary next;
  std::vector<Mismatch> machines;  ///< when not empty, no time was compared
  std::vector<GateCheck> gate;
  std::vector<TimedRow> rows;       ///< empty in mode learn, where nothing is timed
  std::vector<CarriedRow> carried;  ///< in place of times, where machines differ
  Outcome outcome = Outcome::kFine;
};

/// Compares two sides that measured the same thing (first_mismatch() found nothing).
Comparison compare(const std::vector<ComparedRun>& base, const std::vector<ComparedRun>& next,
                   const CompareOptions& options);

/// Renders the comparison: as text for a terminal of `columns`, as Markdown for a comment on a pull
/// request, and as JSON for programs.
std::string render_text(const Comparison& comparison, std::size_t columns);
std::string render_markdown(const Comparison& comparison);
Json to_json(const Comparison& comparison);

/// JSON Schema (draft-07) of to_json(Comparison).
Json comparison_schema();

}  // namespace pacbench::compare

template <>
struct pacbench::Words<pacbench::compare::GateCheck::Found> {
  static constexpr std::array kAll{"equal", "broken", "inconclusive", "not asked"};
};
template <>
struct pacbench::Words<pacbench::compare::TimedRow::Verdict> {
  static constexpr std::array kAll{"unchanged", "improved", "regressed", "inconclusive",
                                   "not tested"};
};
template <>
struct pacbench::Words<pacbench::compare::Outcome> {
  static constexpr std::array kAll{"regression", "incomparable", "inconclusive", "no regression"};
};
