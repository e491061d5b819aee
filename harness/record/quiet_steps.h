#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "harness/record/record.h"
#include "harness/statistics/block_bootstrap.h"

namespace pacbench::record {

/// The steps of a cell without what disturbances of the machine added to them (docs/METRICS.md,
/// "Disturbed machines"). A step is quiet when no disturbance touches it, or none but stops of the
/// whole machine, whose time is taken off. The time of every other step is replaced by the mean of
/// the quiet steps that sent as many bytes. Short steps escape disturbances more often than long
/// ones. So in medians each quiet step weighs 1 / p, the inverse of its chance to escape (Horvitz
/// and Thompson 1952, JASA 47:663), and in the place of a disturbed step 1 / p - 1, for
/// disturbances that come at random, as often as they came in this cell.
class QuietSteps {
 public:
  using Step = CellRecord::Step;

  /// Fewer quiet steps than this, the first step aside, say too little of the others.
  static constexpr std::size_t kFewest = 6;

  /// `machine`: what a meter measured meanwhile; absent: nothing is known to have disturbed.
  QuietSteps(std::vector<Step> steps, const std::optional<MachineTrace>& machine,
             const RateLimits& limits);
  explicit QuietSteps(const CellRecord& record)
      : QuietSteps{record.steps(), record.machine(), record.limits()} {}

  std::int64_t disturbed() const { return disturbed_; }  ///< how many steps disturbances touched
  /// Whether there are quiet steps enough to stand for the others. Else nothing is repaired.
  bool enough() const { return enough_; }

  /// The first step of the cell, whether quiet or not, and all other quiet ones, on a clock that
  /// ran in them alone. All steps of the cell where none was disturbed or nothing is repaired.
  const std::vector<Step>& steps() const { return steps_; }
  /// For each of steps(), what it weighs in means and medians.
  const std::vector<double>& weights() const { return weights_; }

  /// The seconds that disturbances added to the training clock by the end of an iteration: an
  /// estimate, and the ends of its 95 % interval. Where nothing is repaired the estimate is 0, and
  /// the upper end is the time that was lost to disturbances.
  struct Added {
    double s = 0;
    double low_s = 0;
    double high_s = 0;
  };
  Added added_until(std::int64_t iteration) const;

 private:
  /// What is known of the quiet steps that sent equally many bytes.
  struct Alike {
    double mean_s = 0;
    double deviation_s = 0;  ///< of single steps
    double error_s = 0;      ///< of the mean
  };
  /// What the repair does to a step.
  struct Repair {
    double added_s = 0;           ///< is taken off
    double uncertain_s = 0;       ///< might be taken off too
    const Alike* mean = nullptr;  ///< that takes the place of the step; none: nothing does
  };

  void note_alike();
  void repair_each(const std::vector<Step>& all);

  bool enough_ = true;
  std::int64_t disturbed_ = 0;
  std::vector<Step> steps_;
  std::vector<double> weights_;
  std::map<std::int64_t, Alike> alike_;  ///< by bytes sent
  std::vector<Repair> repairs_;          ///< one for each step of the cell; empty: none is needed
  double quantile_ = 2;                  ///< of Student's distribution, for the interval
};

/// Finds after how many iterations long steps return, such as those in which local SGD exchanges.
/// A step is long from 1.5 × the median on; the first step does not count. The period is accepted
/// where, at some of its places, at least three steps and nine of ten are long, and where these
/// places have two thirds of all long steps. Returns 1 where fewer than three steps are long, or
/// the mean step is less than 1.1 × the median. Otherwise long steps return at no fixed distance:
/// returns 0, or 1 where fewer than a third of them are in the second half, as where a program only
/// warms up.
///
/// Disturbances may have touched the few long steps of a short run. So where quiet steps show no
/// period, one that `all` steps of the cell show is taken.
std::int64_t period_of(const QuietSteps& quiet, const std::vector<CellRecord::Step>& all);

/// The time of an iteration over whole periods: the mean, over the places of a period, of the
/// median step at that place (with the weights of `quiet`). For a period of 0 it is the mean of all
/// steps. The first step does not count, unless it is the only one at its place. Absent where a
/// place has no step, for example because all its steps were disturbed.
std::optional<double> step_over_periods_s(const QuietSteps& quiet, std::int64_t period);

}  // namespace pacbench::record
