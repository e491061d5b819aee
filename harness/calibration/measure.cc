#include "harness/calibration/measure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <stdexcept>

#include "base/clock.h"
#include "base/files.h"
#include "harness/machine/cpu_allowance.h"
#include "harness/machine/host_sampler.h"

namespace pacbench::calibration {
namespace {

constexpr std::int64_t kSettleNs = static_cast<std::int64_t>(kSettle_s * 1e9);
// The time left out after a change of rate, in which TCP adapts to the new rate.
constexpr std::int64_t kAfterStepNs = 50'000'000;
constexpr double kSlowShare = 0.5;  // of the rate, in every second step

/// The goodput of each flow while all flows were under way, without the first kSettle_s.
std::vector<double> goodputs_mbit(const std::vector<links::FlowMeasurement>& flows) {
  const auto [start_ns, end_ns] = links::common_time(flows);
  std::vector<double> all;
  for (const auto& flow : flows) {
    all.push_back(links::goodput_mbit(flow, start_ns + kSettleNs, end_ns));
  }
  return all;
}

/// Payload that had arrived by `at_ns`, interpolated linearly between two samples.
double bytes_by(const links::FlowMeasurement& flow, std::int64_t at_ns) {
  const auto& samples = flow.samples;
  const auto after = std::find_if(samples.begin(), samples.end(),
                                  [&](const auto& sample) { return sample.at_ns > at_ns; });
  if (after == samples.begin()) return 0;
  const auto& before = *std::prev(after);
  if (after == samples.end()) return static_cast<double>(before.bytes);
  const auto way =
      static_cast<double>(at_ns - before.at_ns) / static_cast<double>(after->at_ns - before.at_ns);
  return static_cast<double>(before.bytes) + way * static_cast<double>(after->bytes - before.bytes);
}

/// The goodput of all flows together over one window, without the first kSettle_s. The bytes at the
/// window's ends are interpolated, since a flow that pauses there has no samples near them. 0 when
/// the flows were not under way together for longer than kSettle_s.
double total_mbit(const std::vector<links::FlowMeasurement>& flows) {
  const auto [start_ns, end_ns] = links::common_time(flows);
  const auto from_ns = start_ns + kSettleNs;
  if (end_ns <= from_ns) return 0;
  double bytes = 0;
  for (const auto& flow : flows) bytes += bytes_by(flow, end_ns) - bytes_by(flow, from_ns);
  return bytes * 8e3 / static_cast<double>(end_ns - from_ns);
}

Subject with(Subject subject, Quantity quantity) {
  subject.quantity = quantity;
  return subject;
}

/// The number of rate steps: as many as repetitions, rounded up to an even number.
int steps_in(const Test& test) { return test.repeat + test.repeat % 2; }

/// A schedule from the full rate to half of it and back, again and again. The last step goes back,
/// so that later tests find the network at the full rate.
netd::ScheduleRequest steps_of(const Test& test, int workers, std::int64_t first_ms) {
  netd::ScheduleRequest schedule;
  for (int worker = 0; worker < workers; ++worker) {
    schedule.directions.push_back(netd::up_name(worker));
    schedule.directions.push_back(netd::down_name(worker));
  }
  for (int step = 0; step < steps_in(test); ++step) {
    const double share = step % 2 == 0 ? kSlowShare : 1;
    const auto after_ms = std::llround(1e3 * kStep_s * step);
    schedule.steps.push_back({first_ms + after_ms, test.subject.rate_mbit * share});
  }
  return schedule;
}

double share(std::int64_t part, std::int64_t whole) {
  return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0;
}

std::vector<Row> rows_of_flow(const Test& test, links::Probing& probing) {
  Row row{test.subject, {}, {}};
  for (int i = 0; i < test.repeat; ++i) {
    row.measured.push_back(goodputs_mbit(probing.flows({{0, 1}}, test.flow_s)).front());
  }
  return {row};
}

std::vector<Row> rows_of_ring(const Test& test, const Network& shape, links::Probing& probing) {
  std::vector<plan::Path> paths;
  for (int worker = 0; worker < shape.workers; ++worker) {
    paths.push_back({worker, (worker + 1) % shape.workers});
  }
  Row mean{test.subject, {}, {}};
  Row slowest{with(test.subject, Quantity::kSlowestOfRing), {}, {}};
  for (int i = 0; i < test.repeat; ++i) {
    const auto all = goodputs_mbit(probing.flows(paths, test.flow_s));
    const auto sum = std::accumulate(all.begin(), all.end(), 0.0);
    mean.measured.push_back(sum / static_cast<double>(all.size()));
    slowest.measured.push_back(std::ranges::min(all));
  }
  return {mean, slowest};
}

std::vector<Row> rows_of_messages(const Test& test, links::Probing& probing) {
  Row link{test.subject, {}, {}};
  Row host{with(test.subject, Quantity::kWakeUp), {}, {}};
  for (const auto& times : probing.messages({0, 1}, test.subject.bytes, test.repeat, kIdle_ms)) {
    link.measured.push_back(times.arrived_ms);
    host.measured.push_back(times.read_ms - times.arrived_ms);
  }
  if (test.subject.quantity == Quantity::kMessage) return {link};
  return {link, host};
}

std::vector<Row> rows_of_incast(const Test& test, const Network& shape, links::Probing& probing) {
  std::vector<plan::Path> paths;
  for (int worker = 1; worker < shape.workers; ++worker) paths.push_back({worker, 0});
  Row row{test.subject, {}, {}};
  for (int i = 0; i < test.repeat; ++i) {
    row.measured.push_back(total_mbit(probing.flows(paths, test.flow_s)));
  }
  return {row};
}

std::vector<Row> rows_of_steps(const Test& test, const Network& shape, links::Fabric& fabric,
                               links::Probing& probing) {
  // Time for the probes to start and for TCP to find the rate.
  constexpr double kLead_s = 1.0;
  fabric.take_stepped();
  fabric.schedule(steps_of(test, shape.workers, std::llround(1e3 * kLead_s)));
  const auto flow = probing.flows({{0, 1}}, kLead_s + kStep_s * (steps_in(test) + 1)).front();
  const auto stepped = fabric.take_stepped();
  Row rate{test.subject, {}, {}};
  Row late{with(test.subject, Quantity::kStepLateness), {}, {}};
  for (const auto& step : stepped) {
    late.measured.push_back(1e3 * seconds(step.applied_ns - step.due_ns));
    const auto until_ns = step.due_ns + static_cast<std::int64_t>(kStep_s * 1e9);
    const auto measured = links::goodput_mbit(flow, step.applied_ns + kAfterStepNs, until_ns);
    // Scaled to the full rate, so that steps to both rates share one row.
    rate.measured.push_back(measured * test.subject.rate_mbit / step.rate_mbit);
  }
  if (static_cast<int>(stepped.size()) != steps_in(test)) {
    throw ProtocolError{
        fmt::format("pacbench-netd made only {} of the {} rate changes of a schedule in time; end "
                    "other programs on this machine and run pacbench calibrate again",
                    stepped.size(), steps_in(test))};
  }
  return {rate, late};
}

}  // namespace

Watch::Watch(links::Fabric& fabric)
    : fabric_{&fabric}, cpus_{CpuAllowance::read().cpus}, start_{look()} {}

Watch::State Watch::look() {
  State now;
  now.at_ns = monotonic_ns();
  now.cpus = sum_of(cpu_times(), cpus_).value_or(CpuTimes{});
  now.pressed_us = cpu_pressure_us(text_or_none("/proc/pressure/cpu")).value_or(0);
  const auto counters = fabric_->counters();
  for (const auto& link : counters.links) now.dropped += link.dropped_packets;
  const auto& sent_again = counters.retransmitted_segments;
  now.retransmits = std::accumulate(sent_again.begin(), sent_again.end(), std::int64_t{0});
  return now;
}

Circumstances Watch::circumstances() {
  const auto now = look();
  const auto all_ns = now.cpus.total_ns - start_.cpus.total_ns;
  Circumstances result;
  result.idle_share = share(now.cpus.idle_ns - start_.cpus.idle_ns, all_ns);
  result.softirq_share = share(now.cpus.softirq_ns - start_.cpus.softirq_ns, all_ns);
  result.cpu_pressure =
      share(1000 * (now.pressed_us - start_.pressed_us), now.at_ns - start_.at_ns);
  result.retransmits = now.retransmits - start_.retransmits;
  result.dropped = now.dropped - start_.dropped;
  return result;
}

std::vector<Row> run_test(const Test& test, const Network& shape, links::Fabric& fabric,
                          links::Probing& probing) {
  Watch watch{fabric};
  std::vector<Row> rows;
  switch (test.subject.quantity) {
    case Quantity::kFlow:
      rows = rows_of_flow(test, probing);
      break;
    case Quantity::kRing:
      rows = rows_of_ring(test, shape, probing);
      break;
    case Quantity::kIncast:
      rows = rows_of_incast(test, shape, probing);
      break;
    case Quantity::kMessage:
    case Quantity::kLatency:
      rows = rows_of_messages(test, probing);
      break;
    case Quantity::kRateStep:
      rows = rows_of_steps(test, shape, fabric, probing);
      break;
    default:
      throw std::logic_error{"not a test of flows, messages or steps: " +
                             name_of(test.subject.quantity)};
  }
  const auto circumstances = watch.circumstances();
  for (auto& row : rows) row.circumstances = circumstances;
  return rows;
}

}  // namespace pacbench::calibration
