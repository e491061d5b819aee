#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "contract/scenario/target.h"
#include "harness/statistics/spread.h"
#include "harness/statistics/two_sides.h"

namespace pacbench::report {

/// TTA of each seed; absent where the seed never reached the target.
using TimesOfSeeds = std::map<std::int64_t, std::optional<double>>;

/// Where the TTA of each seed lies that reached the target.
using CrossingsOfSeeds = std::map<std::int64_t, statistics::Between>;

/// The lower and the upper end of a speed-up.
struct SpeedUpEnds {
  std::optional<double> low;   ///< absent: the method did not reach the target
  std::optional<double> high;  ///< absent: the baseline did not reach the target
};

/// The speed-up of a method over a baseline.
struct SpeedUp {
  double value = 1;   ///< ratio of the median TTAs
  SpeedUpEnds range;  ///< of ratios seed by seed, without seeds that have two DNFs
  /// The 95 % interval of the ratio (statistics::paired_ratio). Absent below three seeds, and where
  /// a seed has a DNF or a time of 0.
  std::optional<SpeedUpEnds> interval;
};

/// The ends of an interval or a range of times.
struct Ends {
  double low_s = 0;
  double high_s = 0;
};

/// One target of one method over one link.
struct TargetSummary {
  Target target;
  statistics::CensoredSpread tta_s;
  /// The 95 % interval of the median TTA; absent with too few seeds, and without times.
  std::optional<statistics::MedianInterval> tta_interval_s;
  /// Modes compose and simulate with one seed: the 95 % interval of its TTA, from the scatter of
  /// its steps alone.
  std::optional<Ends> tta_of_steps_s;
  /// The shortest and the longest of several runs of the same cells.
  std::optional<Ends> tta_of_runs_s;
  statistics::CensoredSpread iterations;
  /// The spread over the cells of TTA minus time per iteration × iterations. This rest is pruning,
  /// agreement on masks, and the differences of steps from the median step.
  statistics::CensoredSpread beyond_s;
  std::optional<SpeedUp> speed_up_all_reduce;  ///< see docs/STATISTICS.md
  std::optional<SpeedUp> speed_up_fp16;
  TimesOfSeeds tta_s_of_seeds;  ///< of seeds whose cell is done or failed
  CrossingsOfSeeds crossings{};
};

/// Where the TTAs of the seeds that reached the target lie, from the earliest to the latest. Absent
/// where none did.
std::optional<Ends> tta_within(const TargetSummary& summary);

/// Returns the speed-up of `own` over the baseline, to the same target and over the same seeds;
/// absent without seeds, and unless both medians were reached. A DNF counts as longer than all
/// times. The interval allows each time to lie anywhere in its crossing. Throws
/// std::invalid_argument when the seeds differ.
std::optional<SpeedUp> speed_up_of(const TargetSummary& baseline, const TargetSummary& own);

/// The interval of the ratio alone, with the baseline's times multiplied by `share`.
std::optional<SpeedUpEnds> interval_of(const CrossingsOfSeeds& baseline,
                                       const CrossingsOfSeeds& own, double share = 1);

/// One reason why a method takes longer than the better baseline; docs/METRICS.md has the rules.
struct Cause {
  /// One of within-spread, cpu-bound, all-gather, more-bytes, latency-bound, low-utilisation,
  /// more-iterations, unstable-mask and beyond-steps.
  std::string kind;
  std::string words;
};

/// The target at which a method loses, and why. The target is the last, hence hardest, that a
/// baseline reached. Of two baselines that reached it, the faster is taken.
struct Diagnosis {
  std::string against;  ///< label of the baseline
  Target target;
  std::optional<double> tta_ratio;  ///< TTA / the baseline's TTA; absent for a DNF
  double step_ratio = 0;            ///< time per iteration / the baseline's
  std::optional<double> iterations_ratio;
  std::vector<Cause> causes;  ///< empty when no rule applies
};

/// One method over one link, all seeds together. Costs and accuracies are those of done cells, and
/// absent when no cell is done. Costs in time are absent in mode learn, where nothing is timed.
struct ReportRow {
  std::string label;
  std::string run{};  ///< the runs that measured it, by the names of their folders, joined by " + "
  std::string method;
  std::int64_t every = 1;           ///< iterations from one exchange to the next
  std::int64_t tried = 1;           ///< how many settings, with rates, were tried
  std::vector<std::int64_t> seeds;  ///< of all its cells
  int done = 0;
  int failed = 0;        ///< number of cells that failed, which count as DNF
  int unfinished = 0;    ///< number of cells skipped or interrupted, which have no times
  bool suspect = false;  ///< a cell's link was not as declared: no speed-up uses this row
  bool cpu_bound = false;
  /// Whether others took the machine away from a cell: "ok", "disturbed" or "unknown"; empty where
  /// nothing watched the machine in any cell.
  std::string machine{};
  std::int64_t attempts = 1;  ///< how often the cell that was run most was run
  bool simulated = false;     ///< a simulation has no links or host to judge
  bool stopped_at_target = false;
  /// Composed clocks: iterations × the median exchanged step is longer than a TTA, by more than one
  /// evaluation. So few of the training's iterations are like those that were exchanged, such as a
  /// warm-up with whole gradients.
  bool step_is_other = false;
  std::vector<TargetSummary> targets;
  std::optional<statistics::Spread> iterations_run;  ///< iterations of a cell, first one included
  std::optional<statistics::Spread> time_per_iteration_s;  ///< step_time_s() of the cells
  std::optional<statistics::Spread> median_step_s;  ///< without the exchange of a longer period
  /// With one seed: the 95 % interval of the time per iteration, from the scatter of its steps.
  /// Absent where the period is not 1.
  std::optional<Ends> time_of_steps_s;
  int runs = 1;                        ///< largest number of sound runs of one cell, at least 1
  std::optional<Ends> time_of_runs_s;  ///< the shortest and the longest of several runs
  /// Mean over all iterations of a cell, those without an exchange too; pruning left out.
  std::optional<statistics::Spread> mean_iteration_s;
  std::optional<statistics::Spread> samples_per_s;
  std::optional<statistics::Spread> compute_s;
  std::optional<statistics::Spread> exposed_s;
  std::optional<statistics::Spread> encode_s;
  std::optional<statistics::Spread> wire_s;
  std::optional<statistics::Spread> late_s;       ///< mode compose: time that ranks overslept
  std::optional<statistics::Spread> taken_share;  ///< of the CPUs' time, by others
  std::optional<statistics::Spread> overlap;
  std::optional<statistics::Spread> compute_share;  ///< share of the iteration time
  std::optional<statistics::Spread> encode_share;
  std::optional<statistics::Spread> exposed_share;
  /// Of a user's own program: the time that the bytes a rank sent need at the link's rate. Absent
  /// as link_use is.
  std::optional<statistics::Spread> least_wire_s;
  /// Share of the time on the wire that the bytes sent need at the link's rate. Absent where the
  /// rate moves, differs between workers or is shared with a load.
  std::optional<statistics::Spread> link_use;
  std::optional<statistics::Spread> vnmse;
  std::optional<statistics::Spread> cosine;
  std::optional<statistics::Spread> density;
  std::optional<statistics::Spread> residual_norm;
  std::optional<statistics::Spread> final_accuracy;
  std::optional<statistics::Spread> best_accuracy;
  std::optional<statistics::Spread> final_loss;
  std::optional<statistics::Spread> best_loss;
  std::optional<statistics::Spread> measured_bytes_per_iteration;
  std::optional<statistics::Spread> expected_bytes_per_iteration;
  /// Wire bytes that collectives and counted frames account for.
  std::optional<statistics::Spread> explained_bytes_per_iteration;
  /// Bytes over a link between switches; absent where there is no such link.
  std::optional<statistics::Spread> trunk_bytes_per_iteration;
  /// Bytes over that direction of a link which carried the most.
  std::optional<statistics::Spread> busiest_link_bytes_per_iteration;
  std::optional<statistics::Spread> payload_bytes_per_iteration;
  std::optional<statistics::Spread> pruning_s;
  std::optional<statistics::Spread> kept_fraction;
  std::optional<statistics::Spread> compacted_from;
  std::optional<statistics::Spread> dense_share;
  std::optional<statistics::Spread> overhead_s;  ///< training clock beyond median steps
  std::optional<double> mask_overlap;            ///< between masks of two seeds, median over pairs
  std::vector<std::string> notes;                ///< what a reader must know of this row, in words
  std::optional<Diagnosis> diagnosis;            ///< why it loses to the better baseline, if so
};

/// Whether two rows can be compared: both have the same seeds, and all their cells are done, over
/// links as declared.
bool comparable(const ReportRow& one, const ReportRow& other);

/// The first row of the method, with which others are compared; null where there is none.
const ReportRow* first_of(const std::vector<ReportRow>& rows, std::string_view method);

/// The row of that label; null where there is none.
const ReportRow* find_row(const std::vector<ReportRow>& rows, const std::string& label);

}  // namespace pacbench::report
