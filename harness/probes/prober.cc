#include "harness/probes/prober.h"

#include "harness/machine/interrupt.h"

#include <algorithm>

#include "base/clock.h"
#include "base/frames.h"
#include "harness/calibration/calibrated.h"
#include "harness/links/fabric.h"
#include "harness/links/probing.h"
#include "harness/machine/host_sampler.h"
#include "harness/probes/queues.h"
#include "harness/probes/quiet_goodput.h"
#include "harness/record/probe_plan.h"
#include "harness/statistics/spread.h"

namespace pacbench::probes {
namespace {

constexpr double kDuration_s = 2;
// Where a link without delay carries that much within a second, a second shows its rate. A link
// that then seems off is measured for longer.
constexpr double kShortDuration_s = 1;
constexpr double kBytesOfShort = 5e6;
// Where a machine pauses, packets of several flows meet in one queue afterwards. TCP takes the
// longer round trip for a full link, and from then on opens its window by few packets a second.
constexpr double kLongDuration_s = 6;
// The first part of a flow is left out, since TCP still looks for the rate. It is longer on links
// with delay, loss or reordering.
constexpr std::int64_t kSettleNs = 250'000'000;
constexpr std::int64_t kSettleWithDelayNs = 1'000'000'000;
constexpr int kPings = 10;
constexpr double kMoreThanCarried =
    1.3;  // so that a queue is never empty, also where a fifth is lost
constexpr int kSocketsOfDatagrams = 4;  // one alone can have few datagrams in a queue
constexpr int kAttempts = 4;
// A hypervisor may take half of a machine for some seconds.
constexpr int kAttemptsOfTaken = 10;
constexpr double kMuchTaken = 0.2;
constexpr double kMostTime_s = 20;

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

/// A round of flows that are measured at once, again and again until they show their rates.
class Round {
 public:
  /// Without `one_clock` the receivers are on different hosts, so each flow is measured over its
  /// own time.
  Round(links::Probing& probing, record::LinkProbe& probe, std::vector<record::ProbedFlow*> flows,
        int datagram_bytes, bool one_clock, Meter* meter)
      : probing_{probing},
        probe_{probe},
        datagram_bytes_{datagram_bytes},
        flows_{std::move(flows)},
        one_clock_{one_clock},
        meter_{meter} {}

  /// A host that pauses unseen for some tens of milliseconds costs 3 % of a window, so flows that
  /// are off are measured again. Links at fault are off every time.
  void measure() {
    const auto began_ns = monotonic_ns();
    for (int attempt = 1; attempt <= (is_much_taken() ? kAttemptsOfTaken : kAttempts); ++attempt) {
      if (seconds(monotonic_ns() - began_ns) > kMostTime_s) return;
      for (auto* flow : flows_) flow->attempts = attempt;
      measure_once(duration_s(attempt));
      const bool off = std::any_of(flows_.begin(), flows_.end(),
                                   [&](const auto* flow) { return is_off(probe_, *flow); });
      if (!off) return;
    }
  }

 private:
  /// Whether so much of the machine was taken that most packets may have been held up.
  bool is_much_taken() const {
    return probe_.machine && probe_.machine->taken_share() > kMuchTaken;
  }

  double duration_s(int attempt) const {
    const bool paced = std::any_of(flows_.begin(), flows_.end(),
                                   [](const auto* flow) { return flow->offered_mbit > 0; });
    if (paced) return std::min(attempt * kDuration_s, kLongDuration_s);
    return attempt == 1 && carries_much() ? kShortDuration_s : kDuration_s;
  }

  bool carries_much() const {
    return settles_soon() && std::all_of(flows_.begin(), flows_.end(), [](const auto* flow) {
             return flow->expected_mbit * 1e6 / 8 * kShortDuration_s >= kBytesOfShort;
           });
  }

  /// Datagrams come at the rate of the link from the first one on, and so does TCP on plain links.
  bool settles_soon() const { return probe_.judges_slow || flows_.front()->datagrams; }

  void measure_once(double duration_s) {
    std::vector<double> offered_mbit;
    for (const auto* flow : flows_) offered_mbit.push_back(flow->offered_mbit);
    const auto began_ns = monotonic_ns();
    HostSampler host;
    host.sample();
    const auto measured = flows_.front()->datagrams
                              ? datagram_flows(duration_s)
                              : probing_.flows(paths_of(flows_), duration_s, offered_mbit);
    if (meter_ != nullptr) probe_.machine = meter_->since(began_ns);
    const auto load = host.sample(0);
    const auto machine = probe_.machine.value_or(MachineTrace{});
    const auto settle_ns = settles_soon() ? kSettleNs : kSettleWithDelayNs;
    const auto common_ns = links::common_time(measured);
    for (std::size_t i = 0; i < measured.size(); ++i) {
      const auto from_ns = settle_ns + (one_clock_ ? common_ns.first : measured[i].start_ns());
      const auto to_ns = one_clock_ ? common_ns.second : measured[i].end_ns();
      const auto quiet = quiet_goodput(measured[i], from_ns, to_ns, machine);
      const auto whole = quiet_goodput(measured[i], from_ns, to_ns, MachineTrace{});
      const bool shows = quiet.time_s >= std::min(record::kLeastQuiet_s, whole.time_s);
      auto& flow = *flows_[i];
      flow.goodput_mbit = (shows ? quiet : whole).mbit();
      flow.window_s = (shows ? quiet : whole).time_s;
      flow.whole_mbit.reset();
      if (whole.time_s > quiet.time_s) flow.whole_mbit = whole.mbit();
      flow.best_mbit = best_mbit(measured[i], from_ns, to_ns);
      if (measured[i].packet_mbit > 0) flow.packet_mbit = measured[i].packet_mbit;
      flow.retransmits = measured[i].retransmits;
      if (flow.datagrams && load) flow.idle_share = load->idle;
    }
  }

  /// Sends more datagrams than the links carry, along all paths at once.
  std::vector<links::FlowMeasurement> datagram_flows(double duration_s) {
    double most_mbit = 0;
    for (const auto* flow : flows_) most_mbit = std::max(most_mbit, flow->expected_mbit);
    links::Probing::Overflow overflow;
    overflow.bytes = datagram_bytes_;
    overflow.interval_us = datagram_bytes_ * 8 / (kMoreThanCarried * most_mbit);
    overflow.count = static_cast<int>(duration_s * 1e6 / overflow.interval_us);
    overflow.sockets = kSocketsOfDatagrams;
    std::vector<links::FlowMeasurement> flows;
    for (auto& each : probing_.overflow(paths_of(flows_), overflow)) {
      flows.push_back(std::move(each.flow));
    }
    return flows;
  }

  links::Probing& probing_;
  record::LinkProbe& probe_;
  int datagram_bytes_;
  std::vector<record::ProbedFlow*> flows_;
  bool one_clock_;
  Meter* meter_;
};

/// Measures round trips and keeps the shortest, since waiting for a CPU can only add time. So too
/// long a one is asked for again: a link that is too long stays so. Where the link itself varies
/// the delay, keeps the median.
void measure_round_trips(links::Probing& probing, const std::vector<record::ProbedFlow*>& flows,
                         bool varying) {
  constexpr int kMostTries = 4;
  const auto is_long = [](const record::ProbedFlow* flow) {
    return *flow->rtt_ms > flow->expected_rtt_ms + flow->rtt_slack_ms;
  };
  for (int tries = 0; tries < kMostTries; ++tries) {
    const auto times_ms = probing.pings_ms(paths_of(flows), kPings);
    for (std::size_t i = 0; i < times_ms.size(); ++i) {
      const auto& times = times_ms[i];
      const double shortest_ms = *std::min_element(times.begin(), times.end());
      auto& rtt_ms = flows[i]->rtt_ms;
      rtt_ms =
          varying ? statistics::median(times) : std::min(rtt_ms.value_or(shortest_ms), shortest_ms);
    }
    if (varying || std::none_of(flows.begin(), flows.end(), is_long)) return;
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
                              const Interrupt& interrupt, Meter* meter, bool with_queues) {
  record::LinkProbe probe;
  probe.flows = record::planned_flows(request);
  probe.judges_slow = record::is_plain(request);
  try {
    const auto share = calibration::calibrated_ring_share(record::bottleneck_mbit(request),
                                                          static_cast<int>(request.workers.size()));
    probe.calibrated = share.has_value();
    probe.reference = share.value_or(record::share_beside_acknowledgements(request));
    links::Fabric fabric{programs.daemon, request};
    links::Probing probing{fabric, programs.probe, interrupt};
    const StolenTime stolen;
    for (int round = 0; round < record::rounds(probe.flows); ++round) {
      const auto flows = flows_of(probe, round);
      Round{probing,
            probe,
            flows,
            static_cast<int>(datagram_bytes(request.mtu)),
            !fabric.spans_hosts(),
            meter}
          .measure();
      const bool tcp = std::none_of(flows.begin(), flows.end(),
                                    [](const auto* flow) { return flow->datagrams; });
      if (tcp && !probe.judges_slow) measure_round_trips(probing, flows, delays_vary(request));
    }
    if (with_queues && !fabric.spans_hosts())
      probe.queues = measure_queues(probing, request, meter);
    probe.stolen_share = stolen.share();
  } catch (const Interrupted&) {
    throw;
  } catch (const std::exception& error) {
    probe.failure = error.what();
  }
  return probe;
}

}  // namespace pacbench::probes
