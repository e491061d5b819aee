#include "harness/probes/prober.h"

#include <algorithm>

#include "base/clock.h"
#include "base/frames.h"
#include "harness/calibration/result.h"
#include "harness/links/fabric.h"
#include "harness/links/probing.h"
#include "harness/machine/host_sampler.h"
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

constexpr double kLongest_ms = 500;
constexpr double kMostInAll_ms = 6000;
constexpr int kQueueAttempts = 3;
constexpr int kDisturbedAttempts = 8;  // a burst that stops the sender leaves the queue half full
constexpr double kFast = 2;    // times the link's rate, so that a queue is full after its own time
constexpr double kQueues = 4;  // so many queues' bytes are sent
constexpr double kApart = 4;   // times a queue's time from one path to the next
constexpr std::int64_t kOfSocket = 100;  // datagrams that a socket can surely have in a queue
constexpr double kFull = 0.75;  // of the delays, this share or less come while the queue fills

std::vector<plan::Path> paths_of(const std::vector<record::ProbedFlow*>& flows) {
  std::vector<plan::Path> paths;
  for (const auto* flow : flows) paths.push_back(flow->path);
  return paths;
}

/// A round of flows that are measured at once, again and again until they show their rates.
struct Round {
  links::Probing& probing;
  record::LinkProbe& probe;
  std::vector<record::ProbedFlow*> flows;
  int datagram_bytes;
  /// Else the receivers are on different hosts, so each flow is measured over its own time.
  bool one_clock;
  Meter* meter;

  /// A host that pauses unseen for some tens of milliseconds costs 3 % of a window, so flows that
  /// are off are measured again. Links at fault are off every time.
  void measure() {
    const auto began_ns = monotonic_ns();
    for (int attempt = 1; attempt <= (is_much_taken() ? kAttemptsOfTaken : kAttempts); ++attempt) {
      if (seconds(monotonic_ns() - began_ns) > kMostTime_s) return;
      for (auto* flow : flows) flow->attempts = attempt;
      measure_once(duration_s(attempt));
      const bool off =
          std::ranges::any_of(flows, [&](const auto* flow) { return is_off(probe, *flow); });
      if (!off) return;
    }
  }

  /// Whether so much of the machine was taken that most packets may have been held up.
  bool is_much_taken() const { return probe.machine && probe.machine->taken_share() > kMuchTaken; }

  double duration_s(int attempt) const {
    const bool paced =
        std::ranges::any_of(flows, [](const auto* flow) { return flow->offered_mbit > 0; });
    if (paced) return std::min(attempt * kDuration_s, kLongDuration_s);
    return attempt == 1 && carries_much() ? kShortDuration_s : kDuration_s;
  }

  bool carries_much() const {
    return settles_soon() && std::ranges::all_of(flows, [](const auto* flow) {
             return flow->expected_mbit * 1e6 / 8 * kShortDuration_s >= kBytesOfShort;
           });
  }

  /// Datagrams come at the rate of the link from the first one on, and so does TCP on plain links.
  bool settles_soon() const { return probe.judges_slow || flows.front()->datagrams; }

  void measure_once(double duration_s) {
    std::vector<double> offered_mbit;
    for (const auto* flow : flows) offered_mbit.push_back(flow->offered_mbit);
    const auto began_ns = monotonic_ns();
    HostSampler host;
    host.sample();
    const auto measured = flows.front()->datagrams
                              ? datagram_flows(duration_s)
                              : probing.flows(paths_of(flows), duration_s, offered_mbit);
    if (meter != nullptr) probe.machine = meter->since(began_ns);
    const auto load = host.sample(0);
    const auto machine = probe.machine.value_or(MachineTrace{});
    const auto settle_ns = settles_soon() ? kSettleNs : kSettleWithDelayNs;
    const auto common_ns = links::common_time(measured);
    for (std::size_t i = 0; i < measured.size(); ++i) {
      const auto from_ns = settle_ns + (one_clock ? common_ns.first : measured[i].start_ns());
      const auto to_ns = one_clock ? common_ns.second : measured[i].end_ns();
      const auto quiet = links::quiet_goodput(measured[i], from_ns, to_ns, machine);
      const auto whole = links::quiet_goodput(measured[i], from_ns, to_ns, MachineTrace{});
      const bool shows = quiet.time_s >= std::min(record::kLeastQuiet_s, whole.time_s);
      auto& flow = *flows[i];
      flow.goodput_mbit = (shows ? quiet : whole).mbit();
      flow.window_s = (shows ? quiet : whole).time_s;
      flow.whole_mbit.reset();
      if (whole.time_s > quiet.time_s) flow.whole_mbit = whole.mbit();
      flow.best_mbit = links::best_mbit(measured[i], from_ns, to_ns);
      if (measured[i].packet_mbit > 0) flow.packet_mbit = measured[i].packet_mbit;
      flow.retransmits = measured[i].retransmits;
      if (flow.datagrams && load) flow.idle_share = load->idle;
    }
  }

  /// Sends more datagrams than the links carry, along all paths at once.
  std::vector<links::FlowMeasurement> datagram_flows(double duration_s) {
    double most_mbit = 0;
    for (const auto* flow : flows) most_mbit = std::max(most_mbit, flow->expected_mbit);
    links::Probing::Overflow overflow;
    overflow.bytes = datagram_bytes;
    overflow.interval_us = datagram_bytes * 8 / (kMoreThanCarried * most_mbit);
    overflow.count = static_cast<int>(duration_s * 1e6 / overflow.interval_us);
    overflow.sockets = kSocketsOfDatagrams;
    std::vector<links::FlowMeasurement> received;
    for (auto& each : probing.overflow(paths_of(flows), overflow)) {
      received.push_back(std::move(each.flow));
    }
    return received;
  }
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
      const double shortest_ms = std::ranges::min(times);
      auto& rtt_ms = flows[i]->rtt_ms;
      rtt_ms =
          varying ? statistics::median(times) : std::min(rtt_ms.value_or(shortest_ms), shortest_ms);
    }
    if (varying || std::none_of(flows.begin(), flows.end(), is_long)) return;
  }
}

/// Whether some packets are delayed by less than others of the same direction.
bool delays_vary(const netd::CreateRequest& request) {
  return std::ranges::any_of(netd::direction_names(request), [&](const auto& name) {
    const auto& impairment = netd::find_direction(request, name)->impairment;
    return impairment.jitter_ms > 0 || impairment.reorder > 0;
  });
}

/// Whether the first queue on the way from each worker to the next is the only one that can fill.
bool first_queues_fill_alone(const netd::CreateRequest& request) {
  if (!request.trunks.empty() || !record::is_plain(request)) return false;
  const auto rate_mbit = [&](const std::string& name) {
    return netd::find_direction(request, name)->rate_mbit;
  };
  return std::ranges::none_of(
      record::ring_of(std::ssize(request.workers)), [&](const plan::Path& path) {
        return rate_mbit(netd::up_name(path.from)) > rate_mbit(netd::down_name(path.to));
      });
}

void measure(links::Probing& probing, const netd::CreateRequest& request,
             std::vector<record::ProbedQueue>& queues) {
  double longest_ms = 0;
  double fastest_mbit = 0;
  auto paths = record::ring_of(std::ssize(request.workers));
  paths.resize(queues.size());
  for (const auto& queue : queues) {
    longest_ms = std::max(longest_ms, queue.expected_ms);
    fastest_mbit =
        std::max(fastest_mbit, netd::find_direction(request, queue.direction)->rate_mbit);
  }
  const auto frame = static_cast<double>(frame_bytes(request.mtu));
  const double bytes = longest_ms * 1e-3 * fastest_mbit * 1e6 / 8;
  links::Probing::Overflow overflow;
  overflow.count = static_cast<int>(kQueues * bytes / frame);
  overflow.bytes = static_cast<int>(datagram_bytes(request.mtu));
  overflow.interval_us = frame * 8 / (kFast * fastest_mbit);
  overflow.sockets = std::min<int>(64, static_cast<int>(bytes / frame / kOfSocket) + 2);
  overflow.apart_ms = kApart * longest_ms;
  const auto measured = probing.overflow(paths, overflow);
  for (std::size_t i = 0; i < measured.size(); ++i) {
    if (measured[i].delays_ms.empty()) continue;
    auto& queue = queues[i];
    const double full_ms = statistics::quantile(measured[i].delays_ms, kFull);
    if (measured[i].received == measured[i].sent && full_ms < queue.expected_ms) continue;
    queue.shortest_ms = std::min(full_ms, queue.shortest_ms.value_or(full_ms));
    queue.longest_ms = std::max(full_ms, queue.longest_ms.value_or(full_ms));
  }
}

/// Overflows the queues of the workers' own links, one after another, and measures for how long a
/// full one holds a packet. Nothing is measured where a queue elsewhere on the way may fill, where
/// packets are delayed or lost on purpose, and of queues longer than half a second. `meter` may be
/// null.
std::vector<record::ProbedQueue> measure_queues(links::Probing& probing,
                                                const netd::CreateRequest& request, Meter* meter) {
  std::vector<record::ProbedQueue> queues;
  if (!first_queues_fill_alone(request)) return queues;
  double all_ms = 0;
  for (int worker = 0; worker < static_cast<int>(request.workers.size()); ++worker) {
    record::ProbedQueue queue;
    queue.direction = netd::up_name(worker);
    queue.expected_ms = static_cast<double>(netd::queue_bytes(request, queue.direction)) * 8e-3 /
                        netd::find_direction(request, queue.direction)->rate_mbit;
    all_ms += kApart * queue.expected_ms;
    if (queue.expected_ms > kLongest_ms * time_dilation || all_ms > kMostInAll_ms * time_dilation) {
      break;
    }
    queues.push_back(queue);
  }
  if (queues.empty()) return queues;
  const auto began_ns = monotonic_ns();
  int most = kQueueAttempts;
  for (int attempt = 1; attempt <= most; ++attempt) {
    measure(probing, request, queues);
    const double taken_share = meter != nullptr ? meter->since(began_ns).taken_share() : 0;
    for (auto& queue : queues) {
      queue.attempts = attempt;
      queue.taken_share = taken_share;
    }
    if (taken_share > record::kTakenWorthSaying) most = kDisturbedAttempts;
    if (std::ranges::none_of(queues, record::is_queue_off)) break;
  }
  return queues;
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
      std::vector<record::ProbedFlow*> flows;
      for (auto& flow : probe.flows) {
        if (flow.round == round) flows.push_back(&flow);
      }
      const auto bytes = static_cast<int>(datagram_bytes(request.mtu));
      Round{probing, probe, flows, bytes, !fabric.spans_hosts(), meter}.measure();
      const bool tcp =
          std::ranges::none_of(flows, [](const auto* flow) { return flow->datagrams; });
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
