#pragma once

#include <cstdint>
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

  /// Whether a disturbance touched any step.
  bool any_disturbed() const { return disturbed_ > 0; }
  std::int64_t disturbed() const { return disturbed_; }  ///< their number
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

}  // namespace pacbench::record
