#pragma once

#include <optional>

#include "analysis/reproduce/claims.h"
#include "analysis/reproduce/measured.h"

namespace pacbench::reproduce {

/// An arm beside the baseline that a claim holds it against; the arm itself where it has none.
struct Contrast {
  const Claim& claim;
  const MeasuredLink& link;
  const report::ReportRow& own;
  const report::ReportRow& base;

  /// The target that the claim's times are to: its own, else the highest that the baseline
  /// all-reduce of the link reached (the baseline itself where there is none).
  const report::TargetSummary* target() const;
  const report::TargetSummary* base_target() const;
};

/// A number with what it is sure of.
struct Estimate {
  double value = 1;
  std::optional<report::SpeedUpEnds> range;
  std::optional<report::SpeedUpEnds> interval;
  bool is_of_steps = false;  ///< of one seed: the interval knows the scatter of steps alone
  /// With several runs of the same cells: the longest time of one side against the shortest of the
  /// other.
  std::optional<report::SpeedUpEnds> of_runs = std::nullopt;
};

/// Time per iteration of base over that of own; nothing without steps of both with the same seeds.
std::optional<Estimate> step_ratio(const MeasuredLink& link, const report::ReportRow& own,
                                   const report::ReportRow& base);
std::optional<Estimate> step_ratio(const Contrast& contrast);

/// Base over own to the target; infinite or 0 when one of the two never got there. Nothing without
/// times of both, with the same seeds, or a target that either reached.
std::optional<Estimate> time_ratio(const Contrast& contrast);

/// Points of final accuracy that the arm lacks, median over pairs of one seed.
std::optional<Estimate> accuracy_lost(const Contrast& contrast);

/// Bytes counted over those of a ring all-reduce of the payload; nothing when nothing was counted.
std::optional<Estimate> ring_traffic(const Contrast& contrast);

/// Bytes counted of the base over those of the arm; nothing when nothing was counted.
std::optional<Estimate> bytes_saved(const Contrast& contrast);

/// Bytes counted between switches of the base over those of the arm; nothing over a star.
std::optional<Estimate> trunk_bytes_saved(const Contrast& contrast);

/// Share of the sum's entries that are not zero over the share that the arm's option `ratio` lets
/// each worker choose. It is 1 where all choose the same ones, and up to the number of workers
/// where choices differ. Nothing without that option or without samples of the sum
/// (`quality_every`).
std::optional<Estimate> build_up(const Contrast& contrast);

/// How unevenly the workers choose, for a method that gathers lists of places, each padded to the
/// longest, and sums the values at all of them: the longest list over the mean one, in the mean of
/// a training. It is 1 where all choose equally many, and the number of workers where one chooses
/// everything. What is gathered and what is summed follows from the bytes that a worker hands over
/// and those that it then declares to send. Nothing outside mode learn, where headers are declared
/// too, and nothing of two workers, of which a ring sends as much as an all-gather.
std::optional<Estimate> imbalance(const Contrast& contrast);

/// The claim's own quantity.
std::optional<Estimate> measured_quantity(const Contrast& contrast);

/// Declared bytes of the base over those of the arm, per iteration.
std::optional<double> bytes_ratio(const Contrast& contrast);

/// Iterations of the base over those of the arm, to the target.
std::optional<double> iterations_ratio(const Contrast& contrast);

/// Whether a row is all-reduce or fp16: as good as lossless, and nothing but a ring.
bool is_ring(const report::ReportRow& row);

/// The most that time_ratio() can be where it was not measured. Steps of a ring get shorter by the
/// ratio of bytes at most, and where there is no curve, iterations are taken for equal. Against a
/// lossy baseline, which may need any number of iterations, there is none.
std::optional<double> time_ratio_limit(const Contrast& contrast);

}  // namespace pacbench::reproduce
