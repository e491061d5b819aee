#include "harness/record/cell_result.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "base/clock.h"
#include "contract/catalogue/method_entry.h"
#include "contract/result/crossing.h"
#include "contract/scenario/fabric_request.h"
#include "harness/record/cell_traffic.h"
#include "harness/record/composed_clock.h"
#include "harness/record/probe_plan.h"
#include "harness/record/program_bytes.h"
#include "harness/record/quiet_steps.h"
#include "harness/record/verdicts.h"
#include "harness/statistics/block_bootstrap.h"
#include "harness/statistics/spread.h"

namespace pacbench::record {
namespace {

using Step = CellRecord::Step;

/// All steps but the first, which counts only when it is the only one.
std::span<const Step> counted(const std::vector<Step>& steps) {
  return std::span{steps}.subspan(steps.size() > 1 ? 1 : 0);
}

std::vector<double> counted(const std::vector<Step>& steps, double Step::*member) {
  std::vector<double> values;
  for (const auto& step : counted(steps)) values.push_back(step.*member);
  return values;
}

double median_of(const std::vector<Step>& steps, double Step::*member) {
  const auto values = counted(steps, member);
  return values.empty() ? 0 : statistics::median(values);
}

/// The median of steps, each with its weight.
double median_of(const QuietSteps& quiet, double Step::*member) {
  const auto values = counted(quiet.steps(), member);
  if (values.empty()) return 0;
  const auto& weights = quiet.weights();
  return statistics::weighted_median(values, {weights.end() - std::ssize(values), weights.end()});
}

std::optional<double> median_of(const std::vector<double>& samples) {
  return samples.empty() ? std::nullopt : std::optional{statistics::median(samples)};
}

/// The median, over steps with a collective, of the share of wire time that did not delay the step.
std::optional<double> overlap(const std::vector<Step>& steps) {
  std::vector<double> shares;
  for (const auto& step : counted(steps)) {
    if (step.wire_s > 0) shares.push_back(std::clamp(1 - step.exposed_s / step.wire_s, 0.0, 1.0));
  }
  return median_of(shares);
}

/// The median of the rates of single steps. Mean bytes over a median time would count an iteration
/// that sends far more than usual in the bytes only.
std::optional<double> wire_mbit(const std::vector<Step>& steps) {
  std::vector<double> rates;
  for (const auto& step : counted(steps)) {
    if (step.wire_s <= 0) continue;
    rates.push_back(static_cast<double>(step.sent_bytes) * 8e-6 / step.wire_s);
  }
  return median_of(rates);
}

/// Adds the interval of the time per step. Its lower end leaves out the time that ranks overslept.
/// Where rank 0 did not wait for them, that time can exceed the step, so a negative end becomes 0.
void add_step_interval(CellResult& result, const std::vector<Step>& steps) {
  const auto steps_s = counted(steps, &Step::step_s);
  const auto late_s = counted(steps, &Step::late_s);
  auto least_s = steps_s;
  for (std::size_t i = 0; i < least_s.size(); ++i) least_s[i] -= late_s[i];
  const auto least = statistics::median_of_series(least_s);
  const auto interval = statistics::median_of_series(steps_s);
  if (!least || !interval) return;
  result.time_per_iteration_low_s = std::max(0.0, least->low);
  result.time_per_iteration_high_s = interval->high;
}

/// The training clock of the cell's lines, plus pruning that the cell replays from the trained run.
double clock_s(const Scenario& scenario, const CellRecord& record) {
  auto sum_s = record.training_s();
  for (const auto& step : pruning_elsewhere(scenario, record)) {
    if (step.after < record.iterations()) sum_s += step.seconds;
  }
  return sum_s;
}

/// Adds what disturbances of the machine did to the times. In mode compose the clock is made of
/// quiet steps alone, so nothing need be taken off it.
void add_repair(CellResult& result, const Scenario& scenario, const CellRecord& record,
                const QuietSteps& quiet) {
  const auto machine = record.machine_in_training();
  if (!machine) return;
  result.taken_share = machine->taken_share();
  const double all_s = machine->cpus * seconds(machine->to_ns - machine->from_ns);
  result.stolen_share = all_s > 0 ? machine->stolen_s / all_s : 0;
  result.disturbed_iterations = static_cast<double>(quiet.disturbed());
  result.attempts = record.attempt();
  const double added_s = quiet.added_until(record.iterations()).s;
  if (scenario.compose || added_s == 0) return;
  result.training_unrepaired_s = result.training_s;
  result.training_s -= added_s;
  result.time_per_iteration_unrepaired_s = median_of(record.steps(), &Step::step_s);
}

/// Adds how often exchanges return and the time of an iteration over whole periods. A method says
/// its period; that of a program is found.
void add_period(CellResult& result, const plan::Cell& cell, const CellRecord& record,
                const QuietSteps& quiet) {
  const auto period = is_program(cell.method)
                          ? period_of(quiet, record.steps())
                          : cell.method.choice.options.value("every", std::int64_t{1});
  result.period = static_cast<double>(period);
  if (period != 1) result.period_step_s = step_over_periods_s(quiet, period);
}

void add_times(CellResult& result, const Scenario& scenario, const plan::Cell& cell,
               const CellRecord& record, const QuietSteps& quiet) {
  if (is_program(cell.method) && record.steps().empty()) {
    // The whole program counts as one step.
    result.training_s = result.time_per_iteration_s = program_wall_s(record);
    result.iterations = result.training_s > 0 ? 1 : 0;
    return;
  }
  result.iterations = record.iterations();
  result.training_s = clock_s(scenario, record);
  result.time_per_iteration_s = median_of(quiet, &Step::step_s);
  add_period(result, cell, record, quiet);
  if (has_network(scenario)) add_step_interval(result, quiet.steps());
  if (sleeps(scenario) || scenario.time_dilation.factor > 1)
    result.late_s = median_of(quiet, &Step::late_s);
  result.compute_s = median_of(quiet, &Step::compute_s);
  result.exposed_s = median_of(quiet, &Step::exposed_s);
  result.encode_s = median_of(quiet, &Step::encode_s);
  result.wire_s = median_of(quiet, &Step::wire_s);
  result.overlap = overlap(quiet.steps());
  if (has_network(scenario)) result.wire_mbit = wire_mbit(quiet.steps());
  add_repair(result, scenario, record, quiet);
  if (result.time_per_iteration_s > 0 && !is_program(cell.method)) {
    result.samples_per_s = scenario.workers *
                           static_cast<double>(scenario.workload.batch_per_worker) /
                           result.time_per_iteration_s;
  }
}

void add_intervals(std::vector<TargetResult>& targets, const Scenario& scenario,
                   const CellRecord& record) {
  if (!record.training() || record.curve().empty()) return;
  const auto clock = composed_clock(scenario, record);
  for (auto& target : targets) {
    if (!target.iterations) continue;
    const auto interval = clock.interval(*target.iterations);
    target.tta_low_s = interval.low;
    target.tta_high_s = interval.high;
  }
}

/// Takes off what disturbances added until each crossing.
void repair(std::vector<TargetResult>& targets, const QuietSteps& quiet) {
  for (auto& target : targets) {
    if (!target.tta_s) continue;
    const auto added = quiet.added_until(*target.iterations);
    if (added.s == 0 && added.high_s <= 0) continue;
    const double clock_s = *target.tta_s;
    if (added.s != 0) target.tta_unrepaired_s = clock_s;
    target.tta_s = std::max(0.0, clock_s - added.s);
    target.tta_low_s = std::max(0.0, clock_s - added.high_s);
    target.tta_high_s = clock_s - added.low_s;
  }
}

/// When the cell's curve crossed each target of the scenario, in the scenario's order. What
/// disturbances of the machine added is taken off. Where that is so, and where times are composed,
/// each time has an interval, which follows from the scatter of measured steps.
std::vector<TargetResult> times_to_targets(const Scenario& scenario, const CellRecord& record,
                                           const QuietSteps& quiet, bool ended, bool stops_itself) {
  std::vector<TargetResult> targets;
  for (const auto& target : scenario.targets) {
    targets.push_back(target_result_of(record.curve(), target, ended, stops_itself));
  }
  scenario.compose ? add_intervals(targets, scenario, record) : repair(targets, quiet);
  return targets;
}

void add_curve(CellResult& result, const Scenario& scenario, const plan::Cell& cell,
               const CellRecord& record, const QuietSteps& quiet) {
  result.targets = times_to_targets(scenario, record, quiet, result.status == CellStatus::kDone,
                                    is_program(cell.method));
  const auto& curve = record.curve();
  const bool has_none =
      is_program(cell.method) || (!curve.empty() && !curve.front().accuracy);  // a user's task
  if (!has_none) result.final_accuracy = result.best_accuracy = 0;
  for (const auto& evaluation : curve) {
    result.final_loss = evaluation.loss;
    result.best_loss = std::min(result.best_loss.value_or(evaluation.loss), evaluation.loss);
    if (!evaluation.accuracy) continue;
    result.final_accuracy = evaluation.accuracy;
    result.best_accuracy = std::max(result.best_accuracy.value_or(0), *evaluation.accuracy);
  }
  result.stopped_at_target = result.status == CellStatus::kDone &&
                             scenario.workload.stop == "targets" &&
                             record.iterations() < scenario.workload.max_iterations;
}

void add_masks(CellResult& result, const CellRecord& record) {
  result.mask_sample = record.mask_sample();
  const auto& compaction = record.compaction();
  if (compaction.exchanges == 0) return;
  result.dense_share =
      static_cast<double>(compaction.dense) / static_cast<double>(compaction.exchanges);
  if (compaction.first_whole) {
    result.compacted_from = static_cast<double>(*compaction.first_whole);
  }
}

void add_quality(CellResult& result, const CellRecord& record) {
  result.vnmse = median_of(record.vnmse());
  result.cosine = median_of(record.cosine());
  result.density = median_of(record.density());
  result.residual_norm = record.residual_norm();
}

/// The time that the bytes of a hop of Gloo's ring need at the link's rate: a payload and the
/// headers of three messages (gloo_wire.h), each in a frame of its own, which cross the sender's
/// link and then the receiver's.
double transfer_of_small_hop_ms(const LinkProfile& link, std::int64_t payload_bytes) {
  constexpr double kHeaderBytes = 48 + 66;
  const double bits = 8 * (3 * kHeaderBytes + static_cast<double>(payload_bytes));
  return bits * 1e-3 * (1 / link.up_mbit + 1 / link.down_mbit);
}

/// The time that a small all-reduce waits for the links, which is not scheduling. A ring has
/// 2 (N - 1) hops one after the other. In Gloo's ring each hop takes a round trip, since the
/// receiver agrees to every transfer (docs/DELAY.md has the measurement). In NCCL's ring each hop
/// takes one way.
double links_part_of_floor_ms(const Scenario& scenario, const plan::Cell& cell,
                              const ReadyEvent& ready) {
  const bool gloo = scenario.backend == "gloo";
  double hop_ms = (gloo ? 1 : 0.5) * longest_round_trip_ms(fabric_request(scenario, cell.link));
  if (gloo && ready.floor_bytes > 0) {
    hop_ms += transfer_of_small_hop_ms(cell.link, ready.floor_bytes / scenario.workers);
  }
  return 2 * (scenario.workers - 1) * hop_ms;
}

void add_workers(CellResult& result, const Scenario& scenario, const plan::Cell& cell,
                 const CellRecord& record) {
  if (const auto rank0 = record.ready().find(0); rank0 != record.ready().end()) {
    const double links_ms =
        makes_links(scenario) ? links_part_of_floor_ms(scenario, cell, rank0->second) : 0;
    result.scheduling_floor_ms = std::max(rank0->second.scheduling_floor_ms - links_ms, 0.0);
  }
  if (const auto rank0 = record.done().find(0); rank0 != record.done().end()) {
    result.pruning_s = rank0->second.pruning_s;
    result.kept_fraction = rank0->second.kept_fraction;
  }
  if (const auto elsewhere = pruning_elsewhere(scenario, record); !elsewhere.empty()) {
    for (const auto& step : elsewhere) result.pruning_s += step.seconds;
    result.kept_fraction = record.training()->kept_fraction;
  }
  result.real_time = static_cast<int>(record.ready().size()) == scenario.workers;
  for (const auto& [rank, ready] : record.ready()) {
    result.real_time = result.real_time && ready.real_time;
    result.peak_resident_bytes = std::max(result.peak_resident_bytes, ready.resident_bytes);
  }
  for (const auto& [rank, done] : record.done()) {
    result.peak_resident_bytes = std::max(result.peak_resident_bytes, done.peak_resident_bytes);
  }
}

void add_audit(CellResult& result, const CellRecord& record) {
  for (const auto& probe : record.probes()) {
    const auto ratio = worst_ratio(probe);
    if (!ratio) continue;
    const auto so_far = result.link_probe.value_or(1);
    if (!result.link_probe || std::abs(*ratio - 1) > std::abs(so_far - 1)) {
      result.link_probe = ratio;
    }
  }
  const auto& host = record.host();
  result.cpu_idle = median_of(host, [](const auto& sample) { return std::optional{sample.idle}; });
  result.cpu_softirq =
      median_of(host, [](const auto& sample) { return std::optional{sample.softirq}; });
  result.cpu_pressure = median_of(host, [](const auto& sample) { return sample.pressure; });
}

}  // namespace

TargetResult target_result_of(const std::vector<EvaluationEvent>& curve, const Target& target,
                              bool ended, bool stops_itself) {
  const auto place = first_crossing(curve, target, ended);
  if (!place && ended && stops_itself && !curve.empty() && reaches(curve.back(), target)) {
    TargetResult last{target, curve.back().training_s, curve.back().iteration};
    last.unconfirmed = true;
    return last;
  }
  if (!place) return {target, std::nullopt, std::nullopt};
  return {target, curve[*place].training_s, curve[*place].iteration};
}

CellResult summarise(const Scenario& scenario, const plan::Cell& cell, const CellRecord& record) {
  const auto end =
      record.end().value_or(CellRecord::End{CellStatus::kInterrupted, "its end was not recorded"});
  CellResult result;
  result.label = cell.method.label;
  result.link = cell.link.name;
  result.seed = cell.seed;
  result.status = end.status;
  result.reason = end.reason;
  result.pretrain_s = record.pretrain_s();
  const QuietSteps quiet{record};
  add_times(result, scenario, cell, record, quiet);
  add_curve(result, scenario, cell, record, quiet);
  add_traffic(result, scenario, cell, record);
  add_masks(result, record);
  add_quality(result, record);
  add_workers(result, scenario, cell, record);
  // Without links both verdicts stay "ok": neither links nor the host could limit the cell's times.
  if (!makes_links(scenario)) return result;
  add_audit(result, record);
  const auto wire = wire_bytes(scenario, record);
  if (wire) result.explained_bytes_per_iteration = wire->explained;
  const auto lost = losses(scenario, cell, record);
  result.link_verdict = link_verdict(record, lost, wire, is_program(cell.method));
  result.machine_verdict = machine_verdict(record, lost, quiet);
  const Lateness lateness{result.late_s.value_or(0), result.time_per_iteration_s,
                          scenario.time_dilation.factor > 1};
  const bool gpus_shared = scenario.share_gpus && uses_nccl(scenario);
  result.host_verdict = host_verdict(record, result.scheduling_floor_ms, lateness, gpus_shared);
  return result;
}

}  // namespace pacbench::record
