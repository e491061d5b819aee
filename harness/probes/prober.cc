#include "harness/probes/prober.h"

#include "harness/machine/interrupt.h"

#include <algorithm>

#include "base/clock.h"
#include "harness/calibration/calibrated.h"
#include "harness/links/fabric.h"
#include "harness/links/probing.h"
#include "harness/machine/host_sampler.h"
#include "harness/record/probe_plan.h"
#include "harness/statistics/spread.h"

namespace pacbench::probes {
namespace {

constexpr double kDuration_s = 2;
// The first part of a flow is left out, since TCP still looks for the rate. It is longer on links
// with delay, loss or reordering.
constexpr std::int64_t kSettleNs = 250'000'000;
constexpr std::int64_t kSettleWithDelayNs = 1'000'000'000;
constexpr int kPings = 10;
constexpr int kAttempts = 4;

std::vector<plan::Path> paths_of(const std::vector<record::ProbedFlow*>& flows) {
  std::vector<plan::Path> paths;
  for (const auto* flow : flows) paths.push_back(flow->path);
  return paths;
}

std::vector<record::ProbedFlow*> flows_of(record::LinkProbe& probe, int round) {
  std::vector<record::ProbedFlow*> flows;
  for (auto& flow : probe.flows) {
    if (flow.round == round) flows.push_back(&flow);
  }
  return flows;
}

/// Measures all flows at once, each over the time in which all were under way. Without `one_clock`
/// the receivers are on different hosts, so each flow is measured over its own time.
void measure_rates_once(links::Probing& probing, const std::vector<record::ProbedFlow*>& flows,
                        std::int64_t settle_ns, bool one_clock) {
  std::vector<double> offered_mbit;
  for (const auto* flow : flows) offered_mbit.push_back(flow->offered_mbit);
  const auto measured = probing.flows(paths_of(flows), kDuration_s, offered_mbit);
  const auto common_ns = links::common_time(measured);
  for (std::size_t i = 0; i < measured.size(); ++i) {
    const auto from_ns = settle_ns + (one_clock ? common_ns.first : measured[i].start_ns());
    const auto to_ns = one_clock ? common_ns.second : measured[i].end_ns();
    flows[i]->goodput_mbit = links::goodput_mbit(measured[i], from_ns, to_ns);
    flows[i]->window_s = std::max(0.0, seconds(to_ns - from_ns));
    flows[i]->retransmits = measured[i].retransmits;
  }
}

/// Measures rates, and again while a flow is off, kAttempts times at most. A host that pauses for
/// some tens of milliseconds costs 3 % of the window. Links at fault would be off every time.
void measure_rates(links::Probing& probing, const record::LinkProbe& probe,
                   const std::vector<record::ProbedFlow*>& flows, bool one_clock) {
  const auto settle_ns = probe.judges_slow ? kSettleNs : kSettleWithDelayNs;
  for (int attempt = 1; attempt <= kAttempts; ++attempt) {
    for (auto* flow : flows) flow->attempts = attempt;
    measure_rates_once(probing, flows, settle_ns, one_clock);
    if (std::none_of(flows.begin(), flows.end(),
                     [&](const auto* flow) { return record::is_off(probe, *flow); })) {
      return;
    }
  }
}

/// Measures round trips and keeps the shortest, since waiting for a CPU can only add time. Where
/// the link itself varies the delay, keeps the median.
void measure_round_trips(links::Probing& probing, const std::vector<record::ProbedFlow*>& flows,
                         bool varying) {
  const auto times_ms = probing.pings_ms(paths_of(flows), kPings);
  for (std::size_t i = 0; i < times_ms.size(); ++i) {
    const auto& times = times_ms[i];
    flows[i]->rtt_ms =
        varying ? statistics::median(times) : *std::min_element(times.begin(), times.end());
  }
}

/// Whether some packets are delayed by less than others of the same direction.
bool delays_vary(const netd::CreateRequest& request) {
  const auto names = netd::direction_names(request);
  return std::any_of(names.begin(), names.end(), [&](const auto& name) {
    const auto& impairment = netd::find_direction(request, name)->impairment;
    return impairment.jitter_ms > 0 || impairment.reorder > 0;
  });
}

}  // namespace

record::LinkProbe probe_links(const Programs& programs, const netd::CreateRequest& request,
                              const Interrupt& interrupt) {
  record::LinkProbe probe;
  probe.flows = record::planned_flows(request);
  probe.judges_slow = record::is_plain(request);
  try {
    const auto share = calibration::calibrated_ring_share(record::bottleneck_mbit(request),
                                                          static_cast<int>(request.workers.size()));
    probe.calibrated = share.has_value();
    probe.reference = share.value_or(1);
    links::Fabric fabric{programs.daemon, request};
    links::Probing probing{fabric, programs.probe, interrupt};
    const StolenTime stolen;
    for (int round = 0; round < record::rounds(probe.flows); ++round) {
      const auto flows = flows_of(probe, round);
      measure_rates(probing, probe, flows, !fabric.spans_hosts());
      if (!probe.judges_slow) measure_round_trips(probing, flows, delays_vary(request));
    }
    probe.stolen_share = stolen.share();
  } catch (const Interrupted&) {
    throw;
  } catch (const std::exception& error) {
    probe.failure = error.what();
  }
  return probe;
}

}  // namespace pacbench::probes
