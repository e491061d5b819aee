#pragma once

#include "contract/result/result.h"
#include "harness/plan/plan.h"
#include "harness/record/record.h"

namespace pacbench::record {

/// When a curve crossed `target` (contract/result/crossing.h), without a time if it did not.
/// `ended`: nothing will be added to the curve. `stops_itself`: it is the curve of a program that
/// may have ended because it reached its target; so a crossing in the last evaluation counts,
/// unconfirmed.
TargetResult target_result_of(const std::vector<EvaluationEvent>& curve, const Target& target,
                              bool ended, bool stops_itself);

/// Computes all numbers of a cell from its lines; a cell that has no line about its end is
/// "interrupted".
/// - training_s, iterations: clock and number of the last step of rank 0; where exchanges are
///   replayed, the clock includes what the run that trained took to prune. A program of the user's
///   own that reports no steps counts as one iteration, as long as its wall time
/// - time_per_iteration_s: median of rank 0's step (start to end) without the first, whose memory
///   is not warm, unless it is the only one; compute_s (forward + backward), exposed_s (wait for
///   means after backward), encode_s (encoding and decoding, summed over buckets) and wire_s (a
///   collective under way): medians over the same steps; overlap: the median share of wire_s that
///   is not exposed, over those of the steps that had something on the wire
/// - time_per_iteration_low_s, _high_s: interval of those steps' median
///   (statistics/block_bootstrap.h), whose lower end is computed from the steps less the time that
///   ranks overslept; late_s (mode compose): the median of the time overslept
/// - samples_per_s: workers × batch_per_worker / time_per_iteration_s
/// - final_accuracy: the last evaluation; best_accuracy: the highest
/// - measured and received bytes: as the links counted them, less the traffic of loads; mean over
///   ranks and iterations
/// - expected bytes: mean of expected_sent_bytes × (mtu + 14) / (mtu - 52), full frames over
///   their TCP payload; in mode learn without this factor, as there are no frames
/// - explained bytes: what collectives and counted frames account for (gloo_wire.h)
/// - payload bytes: sum over collectives of payload_bytes, mean over ranks and iterations;
///   collectives: their number, mean over ranks and iterations
/// - retransmits: sum over ranks; dropped_packets: of the daemon's counters at the end, or, when
///   the cell did not get that far, summed over ranks
/// - scheduling_floor_ms: rank 0's less what the links' declared delay and rate add, at least 0
/// - pruning_s: rank 0's, plus the pruning of the run that trained that this cell did not do;
///   kept_fraction: that run's where there is such pruning, else rank 0's
/// - peak_resident_bytes: largest rank's; real_time: all ranks have it
/// - vnmse, cosine, density: medians over the samples; residual_norm: of the last one
/// - link_probe: the worst ratio of the probes before and after; cpu_idle, cpu_softirq,
///   cpu_pressure: medians over the seconds of training
/// - pretrain_s: as recorded; verdicts: see verdicts.h, in modes learn and simulate always ok
CellResult summarise(const Scenario& scenario, const plan::Cell& cell, const CellRecord& record);

}  // namespace pacbench::record
