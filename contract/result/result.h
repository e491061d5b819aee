#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json/json_reader.h"
#include "contract/result/cell_status.h"
#include "contract/scenario/mode.h"
#include "contract/scenario/target.h"

namespace pacbench {

/// When a cell first crossed a target, if later evaluations confirmed the crossing (crossing.h).
/// Absent values mean DNF: no crossing was confirmed.
struct TargetResult {
  Target target;
  std::optional<double> tta_s;             ///< training-clock seconds
  std::optional<std::int64_t> iterations;  ///< of the evaluation that crossed
  /// The ends of the 95 % interval of tta_s, from the scatter of steps. In modes compose and
  /// simulate, and in cells whose clock was repaired (harness/record/quiet_steps.h).
  std::optional<double> tta_low_s = std::nullopt;
  std::optional<double> tta_high_s = std::nullopt;
  /// The training clock as it ran, with what disturbances of the machine added. Absent where
  /// nothing was taken off.
  std::optional<double> tta_unrepaired_s = std::nullopt;
  /// No evaluation came after the one that crossed, so that nothing confirms it. Only of programs,
  /// which may end when they have reached a target.
  bool unconfirmed = false;
};

/// A verdict, and the reasons for it in words. The verdict is "ok", which has no reasons, or
/// "suspect" (of a link), "cpu-bound" (of the host), or "disturbed" or "unknown" (of the machine).
struct Verdict {
  std::string word = "ok";
  std::vector<std::string> reasons;
};

/// The name of a cell, and of its folder below cells/.
std::string cell_name(const std::string& label, const std::string& link, std::int64_t seed);

/// The result of one method over one link profile with one seed. It is computed from the scenario
/// and from recorded lines: those in the cell's folder (iterations.jsonl, curve.jsonl,
/// events.jsonl, network.jsonl) and the run's probes.jsonl. A median over iterations or steps
/// leaves out the first, unless there is only one. docs/METRICS.md defines each number.
struct CellResult {
  /// `<label>-<link>-<seed>`, also the name of the cell's folder below cells/.
  std::string name() const { return cell_name(label, link, seed); }

  std::string label;
  std::string link;
  std::int64_t seed = 0;
  CellStatus status = CellStatus::kDone;
  std::string reason;  ///< why the cell is not done; empty when it is
  std::vector<TargetResult> targets;
  std::int64_t iterations = 0;
  double training_s = 0;
  double time_per_iteration_s = 0;  ///< median over iterations of rank 0's step
  /// After how many iterations long steps return (record::period_of), and the time of an iteration
  /// over whole periods; step_time_s() has the latter for any cell. Results of an earlier pacbench
  /// lack both, and are read with the period of their method.
  std::optional<double> period;
  std::optional<double> period_step_s;
  double samples_per_s = 0;  ///< over all workers; 0 for a user's own program
  /// 0 without an evaluation; absent where a user's own program reports no accuracy.
  std::optional<double> final_accuracy;
  std::optional<double> best_accuracy;
  /// Mean cross-entropy on the evaluated samples. Absent without a curve, and in results of an
  /// earlier pacbench.
  std::optional<double> final_loss;
  std::optional<double> best_loss;
  bool stopped_at_target = false;           ///< then final values are those at the last target
  double measured_bytes_per_iteration = 0;  ///< wire bytes sent, mean over workers
  double received_bytes_per_iteration = 0;
  double expected_bytes_per_iteration = 0;  ///< declared, with headers except in mode learn
  /// Wire bytes that follow from Gloo's collectives and the number of frames, mean over workers.
  /// Absent with NCCL, with loads, for a user's own program, in modes learn and simulate, and in
  /// results of an earlier pacbench.
  std::optional<double> explained_bytes_per_iteration;
  double payload_bytes_per_iteration = 0;  ///< handed to collectives, mean over workers
  /// Mean over workers. Absent where nothing was counted, and in results of an earlier pacbench.
  std::optional<double> collectives_per_iteration;
  /// Wire bytes over a link between switches of a chain3 or of groups, both directions together,
  /// mean over these links. Absent in other topologies, where nothing was counted, and in results
  /// of an earlier pacbench.
  std::optional<double> trunk_bytes_per_iteration;
  /// Wire bytes over the one direction of a link that carried most. Absent where nothing was
  /// counted, and in results of an earlier pacbench.
  std::optional<double> busiest_link_bytes_per_iteration;
  double compute_s = 0;  ///< median forward + backward
  double exposed_s = 0;  ///< median wait for means after backward
  double encode_s = 0;   ///< time of exchanges outside collectives, summed over buckets, median
  double wire_s = 0;     ///< median time with at least one collective under way
  /// The bytes that rank 0 sent in a step divided by the step's time with a collective under way,
  /// median over steps. Absent where nothing was sent, in mode learn, and in results of an earlier
  /// pacbench.
  std::optional<double> wire_mbit;
  /// Ends of a 95 % interval of time_per_iteration_s, from the scatter of the steps. The
  /// lower end leaves out late_s. Absent with fewer than 6 steps after the first, in
  /// mode learn, and in results of an earlier pacbench.
  std::optional<double> time_per_iteration_low_s;
  std::optional<double> time_per_iteration_high_s;
  /// Mode compose and time dilation: the time in which a rank waited for a CPU that it was to have
  /// (record::CellRecord::Step::late_s) and had no collective under way. It is the median over
  /// iterations of the longest such time of any rank. Absent in other cells, and in results of an
  /// earlier pacbench.
  std::optional<double> late_s;
  std::optional<double> overlap;         ///< share of wire_s that is not exposed, median
  std::optional<double> compacted_from;  ///< first iteration with every bucket compacted
  std::optional<double> dense_share;     ///< of bucket exchanges; absent when masks play no part
  std::string mask_sample;      ///< of the last pruning (contract/result/mask_overlap.h), or empty
  std::optional<double> vnmse;  ///< median over samples; absent when none was taken
  /// The share of the aggregated gradient's entries that are not zero, median over samples. Absent
  /// when none was taken, and in results of an earlier pacbench.
  std::optional<double> density;
  std::optional<double> cosine;         ///< of aggregate and exact mean, median over samples
  std::optional<double> residual_norm;  ///< of what error feedback held back in the last sample
  /// Goodput of a probe flow divided by the goodput that it should have reached. Of all flows of
  /// the probes before and after the cell, this is the one whose ratio is farthest from 1.
  std::optional<double> link_probe;
  std::optional<double> cpu_idle;      ///< share of the host's CPU time, median over seconds
  std::optional<double> cpu_softirq;   ///< share of that time spent on packets, median over seconds
  std::optional<double> cpu_pressure;  ///< share of time in which tasks waited for a CPU, median
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
  /// Absent where nothing watched the machine: without links, over other hosts, and in results of
  /// an earlier pacbench.
  std::optional<Verdict> machine_verdict;
  /// What others took of the CPUs' time. Absent as machine_verdict is.
  std::optional<double> taken_share;
  std::optional<double> stolen_share;  ///< of it, what a hypervisor counted as stolen
  /// The iterations that a disturbance touched, and how often the cell was run; the try that was
  /// disturbed least is the one that counts. Absent as machine_verdict is.
  std::optional<double> disturbed_iterations;
  std::optional<double> attempts;
  /// The numbers of the clock as it ran. Absent where nothing was taken off.
  std::optional<double> training_unrepaired_s;
  std::optional<double> time_per_iteration_unrepaired_s;
};

/// result.json of a run.
struct RunResult {
  static constexpr const char* kFormat = "pacbench.result/1";

  Mode mode = Mode::kEmulate;
  Json scenario;  ///< canonical form
  std::string comparison_hash;
  std::vector<CellResult> cells;
};

/// Whether runs of a scenario (canonical form) have a learning curve. False in modes compose and
/// simulate without "curve", and for programs alone without targets, where nothing says that they
/// learn.
bool has_curve(const Json& scenario);

/// Whether cells of a scenario (canonical form) may have evaluations: those with a curve, and those
/// of programs alone, which may evaluate without targets.
bool may_evaluate(const Json& scenario);

Json to_json(const CellResult& cell);
Json to_json(const RunResult& result);

/// These functions read a result. They throw ConfigError naming `source` when the document is not
/// of this format.
CellResult cell_result_from_json(const std::string& source, const Json& node);
RunResult run_result_from_json(const std::string& source, const Json& document);

/// The JSON Schema (draft-07) of result.json.
Json result_schema();

}  // namespace pacbench
