#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json_reader.h"
#include "contract/result/cell_status.h"
#include "contract/scenario/mode.h"
#include "contract/scenario/target.h"

namespace pacbench {

/// When a cell first crossed a target and stayed there; absent values mean DNF.
struct TargetResult {
  Target target;
  std::optional<double> tta_s;             ///< training-clock seconds
  std::optional<std::int64_t> iterations;  ///< of the evaluation that crossed
  /// Mode compose: the bounds of tta_s, from the scatter of the steps that were measured.
  std::optional<double> tta_low_s = std::nullopt;
  std::optional<double> tta_high_s = std::nullopt;
};

/// A verdict and why, in words. `ok` with no reasons; otherwise "suspect" or "cpu-bound".
struct Verdict {
  std::string word = "ok";
  std::vector<std::string> reasons;
};

/// The name of a cell, which its folder below cells/ has.
std::string cell_name(const std::string& label, const std::string& link, std::int64_t seed);

/// The result of one method over one link profile with one seed. Everything here is computed from
/// the cell's raw lines (iterations.jsonl, curve.jsonl); docs/METRICS.md defines each number.
struct CellResult {
  /// `<label>-<link>-<seed>`, the name of its folder below cells/.
  std::string name() const { return cell_name(label, link, seed); }

  std::string label;
  std::string link;
  std::int64_t seed = 0;
  CellStatus status = CellStatus::kDone;
  std::string reason;  ///< why it is not done; empty when it is
  std::vector<TargetResult> targets;
  std::int64_t iterations = 0;
  double training_s = 0;
  double time_per_iteration_s = 0;  ///< median over iterations of rank 0's step
  double samples_per_s = 0;         ///< over all workers
  /// 0 before the first evaluation; absent where a user's own program reports none.
  std::optional<double> final_accuracy;
  std::optional<double> best_accuracy;
  /// Mean cross-entropy on the test set; absent without a curve, or by an earlier pacbench.
  std::optional<double> final_loss;
  std::optional<double> best_loss;
  bool stopped_at_target = false;           ///< final accuracy is the one at the stop
  double measured_bytes_per_iteration = 0;  ///< wire bytes sent, mean over workers
  double received_bytes_per_iteration = 0;
  double expected_bytes_per_iteration = 0;  ///< declared bytes with frame headers added
  /// Wire bytes that collectives and counted frames account for, mean over workers; absent where
  /// something else sends too, or by an earlier pacbench.
  std::optional<double> explained_bytes_per_iteration;
  double payload_bytes_per_iteration = 0;  ///< handed to collectives, mean over workers
  /// Mean over workers; absent where nothing was counted, or by an earlier pacbench.
  std::optional<double> collectives_per_iteration;
  /// Wire bytes over a link between switches, both directions, mean over these links; absent where
  /// there are none, where nothing was counted, or by an earlier pacbench.
  std::optional<double> trunk_bytes_per_iteration;
  /// Wire bytes over the direction of a link that carried most; absent where nothing was counted,
  /// or by an earlier pacbench.
  std::optional<double> busiest_link_bytes_per_iteration;
  double compute_s = 0;  ///< median forward + backward
  double exposed_s = 0;  ///< median wait for means after backward
  double encode_s = 0;   ///< median exchange time of all buckets without a collective of theirs
  double wire_s = 0;     ///< median time with at least one collective under way
  /// Median over steps of what rank 0 sent, divided by the time with a collective under way; absent
  /// where nothing was sent, or by an earlier pacbench.
  std::optional<double> wire_mbit;
  /// Ends of a 95 % interval of time_per_iteration_s, from the scatter of its steps; absent with
  /// fewer than 6 of them, in mode learn, or by an earlier pacbench.
  std::optional<double> time_per_iteration_low_s;
  std::optional<double> time_per_iteration_high_s;
  /// Mode compose: median over the iterations of the time in which a rank had slept for too long in
  /// the place of work, with nothing under way; absent in other modes, or by an earlier pacbench.
  std::optional<double> late_s;
  std::optional<double> overlap;         ///< median share of wire_s that is not exposed
  std::optional<double> compacted_from;  ///< first iteration with every bucket compacted
  std::optional<double> dense_share;     ///< of bucket exchanges; absent when masks play no part
  std::string mask_sample;      ///< of the last pruning (contract/result/mask_overlap.h), or empty
  std::optional<double> vnmse;  ///< median over samples; absent when none was taken
  /// The share of the aggregate's entries that are not zero, median over samples; absent when none
  /// was taken, or by an earlier pacbench.
  std::optional<double> density;
  std::optional<double> cosine;         ///< of aggregate and exact mean, median over samples
  std::optional<double> residual_norm;  ///< of the last sample, with error feedback
  /// Goodput of a probe flow divided by what the rate carries, for the flow farthest from 1.
  std::optional<double> link_probe;
  std::optional<double> cpu_idle;      ///< median over seconds
  std::optional<double> cpu_softirq;   ///< share spent on packets, median over seconds
  std::optional<double> cpu_pressure;  ///< share in which tasks waited for a CPU, median
  double scheduling_floor_ms = 0;
  double pruning_s = 0;
  double kept_fraction = 1;
  double pretrain_s = 0;  ///< spent before the clock, shared by all methods of a run
  std::int64_t retransmits = 0;
  std::int64_t dropped_packets = 0;
  std::int64_t peak_resident_bytes = 0;  ///< largest worker
  bool real_time = false;
  Verdict link_verdict;
  Verdict host_verdict;
};

/// result.json of a run.
struct RunResult {
  static constexpr const char* kFormat = "pacbench.result/1";

  Mode mode = Mode::kEmulate;
  Json scenario;  ///< canonical form
  std::string comparison_hash;
  std::vector<CellResult> cells;
};

/// Whether the run had no network and timed nothing.
inline bool is_learn(const RunResult& run) { return run.mode == Mode::kLearn; }

/// Whether runs of a scenario (canonical form) learn anything: mode compose without a curve does
/// not, and of a program without targets it is not known.
bool has_curve(const Json& scenario);

Json to_json(const CellResult& cell);
Json to_json(const RunResult& result);

/// Read a result. Throw ConfigError naming `source` when the document is none of this format.
CellResult cell_result_from_json(const std::string& source, const Json& node);
RunResult run_result_from_json(const std::string& source, const Json& document);

/// The JSON Schema (draft-07) of result.json.
Json result_schema();

}  // namespace pacbench
