#include "harness/record/cell_result.h"

#include "base/frames.h"

#include <algorithm>
#include <cmath>

#include "contract/catalogue/program_method.h"
#include "contract/fabric/queue_length.h"
#include "contract/result/crossing.h"
#include "contract/scenario/fabric_request.h"
#include "harness/record/composed_clock.h"
#include "harness/record/load_traffic.h"
#include "harness/record/probe_plan.h"
#include "harness/record/program_totals.h"
#include "harness/record/verdicts.h"
#include "harness/statistics/block_bootstrap.h"
#include "harness/statistics/spread.h"

namespace pacbench::record {
namespace {

using Step = CellRecord::Step;

/// The values of all steps but the first, which counts only when it is the only one.
std::vector<double> counted(const std::vector<Step>& steps, double Step::*member) {
  std::vector<double> values;
  for (std::size_t i = steps.size() > 1 ? 1 : 0; i < steps.size(); ++i) {
    values.push_back(steps[i].*member);
  }
  return values;
}

double median_of(const std::vector<Step>& steps, double Step::*member) {
  const auto values = counted(steps, member);
  return values.empty() ? 0 : statistics::median(values);
}

std::optional<double> median_of(const std::vector<double>& samples) {
  return samples.empty() ? std::nullopt : std::optional{statistics::median(samples)};
}

/// The median, over steps with a collective, of the share of wire time that did not delay the step.
std::optional<double> overlap(const std::vector<Step>& steps) {
  std::vector<double> shares;
  for (std::size_t i = steps.size() > 1 ? 1 : 0; i < steps.size(); ++i) {
    if (steps[i].wire_s <= 0) continue;
    shares.push_back(std::clamp(1 - steps[i].exposed_s / steps[i].wire_s, 0.0, 1.0));
  }
  return median_of(shares);
}

/// The median of the rates of single steps. Mean bytes over a median time would count an iteration
/// that sends far more than usual in the bytes only.
std::optional<double> wire_mbit(const std::vector<Step>& steps) {
  std::vector<double> rates;
  for (std::size_t i = steps.size() > 1 ? 1 : 0; i < steps.size(); ++i) {
    if (steps[i].wire_s <= 0) continue;
    rates.push_back(static_cast<double>(steps[i].sent_bytes) * 8e-6 / steps[i].wire_s);
  }
  return median_of(rates);
}

/// Adds the interval of the time per step. Its lower end leaves out the time that ranks overslept.
/// Where rank 0 did not wait for them, that time can exceed the step, so a negative end becomes 0.
void add_step_interval(CellResult& result, const CellRecord& record) {
  const auto steps_s = counted(record.steps(), &Step::step_s);
  const auto late_s = counted(record.steps(), &Step::late_s);
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

CellRecord::Totals totals_of(const plan::Cell& cell, const CellRecord& record) {
  return is_program(cell.method) ? program_totals(record) : record.totals();
}

/// Adds the times of a program that reports no steps: the whole program counts as one step.
void add_times_of_silent_program(CellResult& result, const CellRecord& record) {
  result.training_s = program_wall_s(record);
  result.time_per_iteration_s = result.training_s;
  result.iterations = result.training_s > 0 ? 1 : 0;
}

void add_times(CellResult& result, const Scenario& scenario, const plan::Cell& cell,
               const CellRecord& record) {
  if (is_program(cell.method) && record.steps().empty()) {
    return add_times_of_silent_program(result, record);
  }
  result.iterations = record.iterations();
  result.training_s = clock_s(scenario, record);
  result.time_per_iteration_s = median_of(record.steps(), &Step::step_s);
  if (!is_learn(scenario)) add_step_interval(result, record);
  if (is_compose(scenario)) result.late_s = median_of(record.steps(), &Step::late_s);
  result.compute_s = median_of(record.steps(), &Step::compute_s);
  result.exposed_s = median_of(record.steps(), &Step::exposed_s);
  result.encode_s = median_of(record.steps(), &Step::encode_s);
  result.wire_s = median_of(record.steps(), &Step::wire_s);
  result.overlap = overlap(record.steps());
  if (!is_learn(scenario)) result.wire_mbit = wire_mbit(record.steps());
  if (result.time_per_iteration_s > 0 && !is_program(cell.method)) {
    result.samples_per_s = scenario.workers *
                           static_cast<double>(scenario.workload.batch_per_worker) /
                           result.time_per_iteration_s;
  }
}

/// Adds to each reached target the interval of its time, which follows from the scatter of measured
/// steps.
void add_intervals(CellResult& result, const Scenario& scenario, const CellRecord& record) {
  if (!record.training() || record.curve().empty()) return;
  const auto clock = composed_clock(scenario, record);
  for (auto& target : result.targets) {
    if (!target.iterations) continue;
    const auto interval = clock.interval(*target.iterations);
    target.tta_low_s = interval.low;
    target.tta_high_s = interval.high;
  }
}

void add_curve(CellResult& result, const Scenario& scenario, const plan::Cell& cell,
               const CellRecord& record) {
  const auto& curve = record.curve();
  for (const auto& target : scenario.targets) {
    result.targets.push_back(target_result_of(curve, target, result.status == CellStatus::kDone));
  }
  if (scenario.compose) add_intervals(result, scenario, record);
  if (!is_program(cell.method)) result.final_accuracy = result.best_accuracy = 0;
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

/// The number of iterations by which the counters of a whole cell are divided. A program that
/// reports no steps counts as one iteration.
std::int64_t counted_iterations(const plan::Cell& cell, const CellRecord& record) {
  return std::max<std::int64_t>(record.iterations(), is_program(cell.method) ? 1 : 0);
}

/// The bytes of a trunk in an iteration, both directions together: the mean over trunks and
/// iterations. Absent without trunks, counters or iterations, and for topologies that only mode
/// simulate has.
std::optional<double> trunk_bytes_per_iteration(const Scenario& scenario, const plan::Cell& cell,
                                                const CellRecord& record) {
  const auto iterations = counted_iterations(cell, record);
  if (is_learn(scenario) || !record.counters() || iterations == 0 ||
      is_simulated_only(cell.link.topology)) {
    return std::nullopt;
  }
  const auto trunks = static_cast<int>(fabric_request(scenario, cell.link).trunks.size());
  if (trunks == 0) return std::nullopt;
  std::int64_t bytes = 0;
  for (const auto& link : record.counters()->links) {
    for (int trunk = 0; trunk < trunks; ++trunk) {
      if (link.name != netd::forward_name(trunk) && link.name != netd::backward_name(trunk)) {
        continue;
      }
      bytes += link.bytes;
    }
  }
  return static_cast<double>(bytes) / trunks / static_cast<double>(iterations);
}

/// Divides the bytes of the busiest direction in the whole cell by the cell's iterations.
std::optional<double> busiest_link_bytes(const plan::Cell& cell, const CellRecord& record) {
  const auto iterations = counted_iterations(cell, record);
  if (!record.counters() || record.counters()->links.empty() || iterations == 0) {
    return std::nullopt;
  }
  const auto& links = record.counters()->links;
  const auto busiest =
      std::max_element(links.begin(), links.end(),
                       [](const auto& one, const auto& other) { return one.bytes < other.bytes; });
  return static_cast<double>(busiest->bytes) / static_cast<double>(iterations);
}

void add_traffic(CellResult& result, const Scenario& scenario, const plan::Cell& cell,
                 const CellRecord& record) {
  const auto totals = totals_of(cell, record);
  result.retransmits = totals.retransmits;
  result.dropped_packets = totals.dropped_packets;
  if (record.counters()) {
    result.dropped_packets = 0;
    for (const auto& link : record.counters()->links) {
      result.dropped_packets += link.dropped_packets;
    }
  }
  if (totals.events == 0) return;
  const auto mean = [&](std::int64_t sum) {
    return static_cast<double>(sum) / static_cast<double>(totals.events);
  };
  const auto load = load_traffic(cell.link.loads, record, is_program(cell.method));
  const auto events = static_cast<double>(totals.events);
  result.measured_bytes_per_iteration = mean(totals.sent_bytes) - load.sent_bytes / events;
  result.received_bytes_per_iteration = mean(totals.received_bytes) - load.received_bytes / events;
  const auto declared = mean(totals.expected_sent_bytes);
  result.expected_bytes_per_iteration =
      is_learn(scenario) ? declared : with_headers(declared, scenario.network.mtu);
  result.payload_bytes_per_iteration = mean(totals.payload_bytes);
  if (!is_program(cell.method)) result.collectives_per_iteration = mean(totals.collectives);
  result.trunk_bytes_per_iteration = trunk_bytes_per_iteration(scenario, cell, record);
  result.busiest_link_bytes_per_iteration = busiest_link_bytes(cell, record);
}

/// The bytes that a rank sends in an iteration, as counted and as explained. Absent where
/// collectives do not explain every byte (explained_workers), and where no iteration was recorded.
std::optional<WireBytes> wire_bytes(const Scenario& scenario, const CellRecord& record) {
  const auto& totals = record.totals();
  if (!record.wire_is_explained() || totals.events == 0) return std::nullopt;
  const auto mean = [&](std::int64_t sum) {
    return static_cast<double>(sum) / static_cast<double>(totals.events);
  };
  const auto mtu = scenario.network.mtu;
  WireBytes bytes;
  bytes.counted = mean(totals.sent_bytes);
  bytes.explained = mean(totals.stream_bytes + kFrameHeaderBytes * totals.sent_packets);
  bytes.resent = mean(totals.retransmits * segment_bytes(mtu));
  bytes.frame = static_cast<double>(frame_bytes(mtu));
  bytes.iterations = record.iterations();
  return bytes;
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

/// The time that a small all-reduce waits for the links' delay, which is not scheduling. A ring has
/// 2 (N - 1) hops one after the other. In Gloo's ring each hop takes a round trip, since the
/// receiver agrees to every transfer (docs/DELAY.md has the measurement). In NCCL's ring each hop
/// takes one way.
double delay_of_small_all_reduce_ms(const Scenario& scenario, const plan::Cell& cell) {
  const double trips = scenario.backend == "gloo" ? 1 : 0.5;
  return trips * 2 * (scenario.workers - 1) *
         longest_round_trip_ms(fabric_request(scenario, cell.link));
}

void add_workers(CellResult& result, const Scenario& scenario, const plan::Cell& cell,
                 const CellRecord& record) {
  if (const auto rank0 = record.ready().find(0); rank0 != record.ready().end()) {
    const double delay_ms =
        makes_links(scenario) ? delay_of_small_all_reduce_ms(scenario, cell) : 0;
    result.scheduling_floor_ms = std::max(rank0->second.scheduling_floor_ms - delay_ms, 0.0);
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

Losses losses(const Scenario& scenario, const plan::Cell& cell, const CellRecord& record) {
  const auto totals = totals_of(cell, record);
  const auto request = fabric_request(scenario, cell.link);
  Losses losses{totals.dropped_packets, totals.retransmits};
  losses.segments_per_packet = netd::largest_packet_bytes(request) / segment_bytes(request.mtu) + 1;
  // The totals of a program count all links, trunks included.
  if (record.counters() && !is_program(cell.method)) {
    for (const auto& link : record.counters()->links) {
      if (link.name.starts_with("trunk")) losses.dropped_between_switches += link.dropped_packets;
    }
  }
  if (is_plain(request)) losses.sent_segments = totals.sent_bytes / frame_bytes(request.mtu);
  return losses;
}

}  // namespace

TargetResult target_result_of(const std::vector<EvaluationEvent>& curve, const Target& target,
                              bool ended) {
  const auto place = first_crossing(curve, target, ended);
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
  add_times(result, scenario, cell, record);
  add_curve(result, scenario, cell, record);
  add_traffic(result, scenario, cell, record);
  add_masks(result, record);
  add_quality(result, record);
  add_workers(result, scenario, cell, record);
  // Without links both verdicts stay "ok": neither links nor the host could limit the cell's times.
  if (!makes_links(scenario)) return result;
  add_audit(result, record);
  const auto wire = wire_bytes(scenario, record);
  if (wire) result.explained_bytes_per_iteration = wire->explained;
  result.link_verdict =
      link_verdict(record, losses(scenario, cell, record), wire, is_program(cell.method));
  const Lateness lateness{result.late_s.value_or(0), result.time_per_iteration_s};
  const bool gpus_shared = scenario.share_gpus && uses_nccl(scenario);
  result.host_verdict = host_verdict(record, result.scheduling_floor_ms, lateness, gpus_shared);
  return result;
}

}  // namespace pacbench::record
