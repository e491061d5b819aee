#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json/json_reader.h"
#include "contract/scenario/mode.h"
#include "contract/scenario/target.h"

namespace pacbench {

enum class CellStatus { kDone, kFailed, kSkipped, kInterrupted };

template <>
struct Words<CellStatus> {
  static constexpr std::array kAll{"done", "failed", "skipped", "interrupted"};
};

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
/// leaves out the first, unless there is only one. result_fields.h says what each number is, and
/// docs/METRICS.md defines it. What an earlier pacbench did not record is absent in its results.
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
  double time_per_iteration_s = 0;
  /// Found by record::period_of. step_time_s() has the time of an iteration for any cell. Results
  /// of an earlier pacbench are read with the period of their method.
  std::optional<double> period;
  std::optional<double> period_step_s;
  double samples_per_s = 0;  ///< 0 for a user's own program
  /// 0 without an evaluation.
  std::optional<double> final_accuracy;
  std::optional<double> best_accuracy;
  /// Absent without a curve.
  std::optional<double> final_loss;
  std::optional<double> best_loss;
  bool stopped_at_target = false;  ///< then final values are those at the last target
  double measured_bytes_per_iteration = 0;
  double received_bytes_per_iteration = 0;
  double expected_bytes_per_iteration = 0;
  /// Absent with NCCL, with loads, for a user's own program, and in modes learn and simulate.
  std::optional<double> explained_bytes_per_iteration;
  double payload_bytes_per_iteration = 0;
  // Absent where nothing was counted. Only chain3 and groups have links between switches.
  std::optional<double> collectives_per_iteration;
  std::optional<double> trunk_bytes_per_iteration;
  std::optional<double> busiest_link_bytes_per_iteration;
  double compute_s = 0;
  double exposed_s = 0;
  double encode_s = 0;
  double wire_s = 0;
  std::optional<double> wire_mbit;  ///< absent where nothing was sent, and in mode learn
  /// The lower end leaves out late_s. Absent with fewer than 6 steps after the first, and in mode
  /// learn.
  std::optional<double> time_per_iteration_low_s;
  std::optional<double> time_per_iteration_high_s;
  /// In each iteration the longest such time of any rank (record::CellRecord::Step::late_s).
  std::optional<double> late_s;
  std::optional<double> overlap;
  std::optional<double> compacted_from;
  std::optional<double> dense_share;  ///< absent when masks play no part
  std::string mask_sample;            ///< of the last pruning (mask_overlap.h), or empty
  // Absent when no sample was taken.
  std::optional<double> vnmse;
  std::optional<double> density;
  std::optional<double> cosine;
  std::optional<double> residual_norm;
  std::optional<double> link_probe;  ///< the worst ratio is the one farthest from 1
  std::optional<double> cpu_idle;
  std::optional<double> cpu_softirq;
  std::optional<double> cpu_pressure;
  double scheduling_floor_ms = 0;
  double pruning_s = 0;
  double kept_fraction = 1;
  double pretrain_s = 0;
  std::int64_t retransmits = 0;
  std::int64_t dropped_packets = 0;
  std::int64_t peak_resident_bytes = 0;
  bool real_time = false;
  Verdict link_verdict;
  Verdict host_verdict;
  // These are absent where nothing watched the machine: without links, and over other hosts.
  std::optional<Verdict> machine_verdict;
  std::optional<double> taken_share;
  std::optional<double> stolen_share;  ///< a part of taken_share
  std::optional<double> disturbed_iterations;
  std::optional<double> attempts;
  // Absent where nothing was taken off the clock.
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

Json result_schema();

/// Mean time per iteration of a cell in seconds: the training clock without pruning, divided by the
/// number of iterations. Returns 0 for a cell without iterations.
double mean_iteration_s(const CellResult& cell);

/// Time per iteration of a cell in seconds, without the first iteration: the median step where each
/// iteration exchanges, else the time over whole periods (`period_step_s`). Where the cell has no
/// such time, it is mean_iteration_s(). All tables, gates and comparisons use this time.
double step_time_s(const CellResult& cell);

}  // namespace pacbench
