#pragma once

#include <optional>

#include "analysis/reproduce/claims.h"
#include "analysis/reproduce/measured.h"

namespace pacbench::reproduce {

/// Two rows that a claim compares: `own` is an arm's row, and `base` that of the baseline. Without
/// a baseline, both are the arm's row.
struct Contrast {
  const Claim& claim;
  const MeasuredLink& link;
  const report::ReportRow& own;
  const report::ReportRow& base;

  /// Return the row's summary of the target at which times are compared: of `own`, or of `base`
  /// (base_target()). This target is the claim's own, else the highest that the link's all-reduce
  /// (without all-reduce: the baseline) reached. Null when there is none.
  const report::TargetSummary* target() const;
  const report::TargetSummary* base_target() const;
};

/// A number, with its range and intervals.
struct Estimate {
  double value = 1;
  std::optional<report::SpeedUpEnds> range;
  std::optional<report::SpeedUpEnds> interval;
  bool is_of_steps = false;  ///< with one seed, the interval covers the scatter of steps alone
  /// With several runs of the same cells: ratios of opposite ends, one side's shortest time over
  /// the other side's longest, and the reverse.
  std::optional<report::SpeedUpEnds> of_runs = std::nullopt;
};

/// Time per iteration of `base` over that of `own`; nothing unless both have timed steps of the
/// same seeds.
std::optional<Estimate> step_ratio(const MeasuredLink& link, const report::ReportRow& own,
                                   const report::ReportRow& base);
std::optional<Estimate> step_ratio(const Contrast& contrast);

/// TTA of the base over that of the arm. It is infinite when only the arm reached the target, and 0
/// when only the base did; neither case needs times. Otherwise it is absent unless both reached it
/// and have times of the same seeds. It is absent without a curve or a target, too.
std::optional<Estimate> time_ratio(const Contrast& contrast);

/// Points of final accuracy that the arm lacks against the base: the median of the seeds'
/// differences.
std::optional<Estimate> accuracy_lost(const Contrast& contrast);

/// The arm's counted bytes over those that a ring all-reduce of the arm's payload sends; nothing
/// when nothing was counted.
std::optional<Estimate> ring_traffic(const Contrast& contrast);

/// Counted bytes of the base over those of the arm; nothing when nothing was counted.
std::optional<Estimate> bytes_saved(const Contrast& contrast);

/// Counted bytes between switches, of the base over those of the arm; nothing over a star.
std::optional<Estimate> trunk_bytes_saved(const Contrast& contrast);

/// The share of the sum's entries that are not zero, over the share that the arm's option `ratio`
/// lets each worker choose. It is 1 where all workers choose the same entries, and up to the number
/// of workers where choices differ. Nothing without that option or without samples of the sum
/// (`quality_every`).
std::optional<Estimate> build_up(const Contrast& contrast);

/// The imbalance of the workers' choices: the longest list over the mean one, averaged over a
/// training. The method must gather lists of places, each padded to the longest, and sum the values
/// at all places. The imbalance is 1 where all workers choose equally many, and the number of
/// workers where one chooses everything. Payload and declared bytes together show what is gathered
/// and what is summed. Nothing outside mode learn, as declared bytes then include headers. Nothing
/// with two workers, where a ring sends as much as an all-gather.
std::optional<Estimate> imbalance(const Contrast& contrast);

/// Mean time of an iteration of the base over that of the arm, each as the median over the same
/// seeds. It includes the exchanges of methods that do not exchange in every iteration. Nothing in
/// mode learn.
std::optional<Estimate> mean_step_ratio(const Contrast& contrast);

/// The estimate of the claim's quantity.
std::optional<Estimate> measured_quantity(const Contrast& contrast);

/// Declared bytes of the base over those of the arm, per iteration.
std::optional<double> bytes_ratio(const Contrast& contrast);

/// Iterations of the base over those of the arm, to the target.
std::optional<double> iterations_ratio(const Contrast& contrast);

/// Whether the base is all-reduce or fp16, which are nearly lossless, by a ring. So fp16 with the
/// sum "direct" does not count: it sends the same bytes by all-to-all and all-gather.
bool has_ring_base(const Contrast& contrast);

/// The most that time_ratio() can be where it was not measured, for a baseline that is a ring. It
/// is the ratio of declared bytes times the ratio of iterations. The measured ratio of steps takes
/// the place of that of bytes where it is larger. Without a curve, iterations are taken as equal.
/// Other baselines have no limit, since they may send in another way, or need any number of
/// iterations. Nothing where bytes were not declared, or where a side missed the target.
std::optional<double> time_ratio_limit(const Contrast& contrast);

}  // namespace pacbench::reproduce
