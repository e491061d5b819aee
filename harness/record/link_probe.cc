#include "harness/record/link_probe.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "base/json/checked_keys.h"

namespace pacbench {

template <>
struct JsonFields<record::ProbedQueue> {
  using T = record::ProbedQueue;
  static constexpr std::tuple kAll{
      required("direction", &T::direction),     required("expected_ms", &T::expected_ms),
      required("shortest_ms", &T::shortest_ms), required("longest_ms", &T::longest_ms),
      required("attempts", &T::attempts),       required("taken_share", &T::taken_share)};
};

/// Probes of an earlier pacbench lack the keys that may be missing.
template <>
struct JsonFields<record::ProbedFlow> {
  using T = record::ProbedFlow;
  static constexpr std::tuple kAll{of_part(&T::path, required("from", &plan::Path::from)),
                                   of_part(&T::path, required("to", &plan::Path::to)),
                                   required("round", &T::round),
                                   required("directions", &T::directions),
                                   required("expected_mbit", &T::expected_mbit),
                                   defaulted("offered_mbit", &T::offered_mbit),
                                   defaulted("datagrams", &T::datagrams),
                                   defaulted("idle_share", &T::idle_share),
                                   required("goodput_mbit", &T::goodput_mbit),
                                   required("window_s", &T::window_s),
                                   required("expected_rtt_ms", &T::expected_rtt_ms),
                                   required("rtt_slack_ms", &T::rtt_slack_ms),
                                   required("rtt_ms", &T::rtt_ms),
                                   required("retransmits", &T::retransmits),
                                   required("attempts", &T::attempts),
                                   defaulted("whole_mbit", &T::whole_mbit),
                                   defaulted("best_mbit", &T::best_mbit),
                                   defaulted("packet_mbit", &T::packet_mbit),
                                   defaulted("expected_spacing_mbit", &T::expected_spacing_mbit)};
};

template <>
struct JsonFields<record::LinkProbe> {
  using T = record::LinkProbe;
  static constexpr std::tuple kAll{required("link", &T::link),
                                   required("when", &T::when),
                                   required("cells", &T::cells),
                                   sparse("time_dilation", &T::time_dilation),
                                   required("reference", &T::reference),
                                   required("calibrated", &T::calibrated),
                                   required("judges_slow", &T::judges_slow),
                                   required("flows", &T::flows),
                                   defaulted("queues", &T::queues),
                                   defaulted("stolen_share", &T::stolen_share),
                                   defaulted("machine", &T::machine),
                                   required("failure", &T::failure)};
};

}  // namespace pacbench

namespace pacbench::record {
namespace {

constexpr double kGoodputTolerance = 0.03;
// A window begins and ends with a packet, which may hold several frames (GSO). On emulated links
// with an MTU of up to 11,000 bytes no packet is longer than this.
constexpr double kGranuleBytes = 22 * 1024;
constexpr double kStolenWorthSaying = 0.02;
// Where less is idle, the CPUs may be why datagrams come slowly: each costs as much as a large
// packet.
constexpr double kLeastIdle = 0.1;
constexpr double kQueueTolerance = 0.15;
constexpr double kQueueSlack_ms = 0.3;
constexpr double kBurstOfHtbBytes = 15'000;  // that HTB lets through beyond the rate

/// The goodput that a flow should have reached.
double due_mbit(const ProbedFlow& flow) {
  return flow.offered_mbit > 0 ? flow.offered_mbit : flow.expected_mbit;
}

double ratio(const ProbedFlow& flow) { return flow.goodput_mbit / due_mbit(flow); }

/// The rate that the spacing of packets shows; 0 where it shows none.
double spacing_mbit(const ProbedFlow& flow) {
  return flow.expected_spacing_mbit > 0 ? flow.packet_mbit.value_or(0) : 0;
}

bool is_taken(const LinkProbe& probe) {
  return probe.machine && probe.machine->taken_share() > kTakenWorthSaying;
}

/// What the packets at the ends of a window may add to its goodput, as a share.
double ends(const ProbedFlow& flow) {
  const double bytes = flow.expected_mbit * 1e6 / 8 * flow.window_s;
  return bytes > 0 ? kGranuleBytes / bytes : 0;
}

/// A share of what a flow should have got, and how much of it the link may not be the reason for.
struct Shown {
  double share = 0;
  double slack = 0;
};

/// What shows best that a link is too fast: the goodput of quiet times, or of all; the best parts,
/// less what HTB's burst and a packet at each end may add; or the spacing of packets. A paced
/// sender makes up for what it was held up, as fast as its links carry it; so on a machine that was
/// taken away it is held against their rate. Of datagrams, which always wait in a queue, the
/// spacing counts always; TCP sends some packets at once where its window does not fill the link.
Shown fastest(const LinkProbe& probe, const ProbedFlow& flow) {
  const bool paced = flow.offered_mbit > 0;
  const double most_mbit = paced && is_taken(probe) ? flow.expected_mbit : due_mbit(flow);
  Shown fastest{std::max(flow.goodput_mbit, flow.whole_mbit.value_or(0)) / most_mbit, ends(flow)};
  const auto take = [&](double share) {
    if (share > fastest.share - fastest.slack) fastest = {share, 0};
  };
  if (paced) return fastest;
  if (spacing_mbit(flow) > 0 && (flow.datagrams || is_taken(probe))) {
    take(spacing_mbit(flow) / flow.expected_spacing_mbit);
  }
  if (flow.best_mbit) {
    const double part_bytes = flow.expected_mbit * 1e6 / 8 * kPart_s;
    take(*flow.best_mbit / due_mbit(flow) - (kBurstOfHtbBytes + kGranuleBytes) / part_bytes);
  }
  return fastest;
}

bool is_fast(const LinkProbe& probe, const ProbedFlow& flow) {
  const auto shown = fastest(probe, flow);
  return shown.share - 1 > kGoodputTolerance + shown.slack;
}

/// The share of the due goodput to compare with. It is 1 for a paced flow, whose pace already
/// leaves room for the share of a link that this machine cannot fill, and for datagrams, which
/// nobody acknowledges.
double reference(const LinkProbe& probe, const ProbedFlow& flow) {
  return flow.offered_mbit > 0 || flow.datagrams ? 1 : probe.reference;
}

/// Whether a flow that is too slow was held up by disturbances, over a link that has its rate: its
/// best parts or the spacing of its packets have the rate, and it lacks no more than the share of
/// the CPUs' time that was taken meanwhile, for each direction that it crosses.
bool is_held_up(const LinkProbe& probe, const ProbedFlow& flow) {
  if (!probe.machine || !flow.best_mbit) return false;
  const double shown_mbit = std::max(*flow.best_mbit, spacing_mbit(flow));
  const double taken = probe.machine->taken_share();
  // The packets of a flow need a CPU at each direction that they cross.
  const auto directions = static_cast<double>(flow.directions.size());
  const double due = reference(probe, flow);
  return is_taken(probe) && shown_mbit / due_mbit(flow) >= due - kGoodputTolerance &&
         due - ratio(flow) <= directions * taken;
}

/// How far a flow is below the reference share of its due goodput, as a share; 0 where the probe
/// does not judge slow flows.
double shortfall(const LinkProbe& probe, const ProbedFlow& flow) {
  const bool shows_slow =
      flow.datagrams ? flow.idle_share.value_or(0) >= kLeastIdle : probe.judges_slow;
  if (!shows_slow || is_held_up(probe, flow)) return 0;
  return 1 - ratio(flow) / reference(probe, flow);
}

/// How far a flow is above or below what it should have got, as a share.
double distance(const LinkProbe& probe, const ProbedFlow& flow) {
  return is_fast(probe, flow) ? fastest(probe, flow).share - 1 : shortfall(probe, flow);
}

/// At what speed the numbers of a probe are; empty at full speed.
std::string speed_words(const LinkProbe& probe) {
  if (probe.time_dilation == 1) return "";
  return fmt::format(" (at 1/{} of its speed)", probe.time_dilation);
}

std::string opening(const LinkProbe& probe, const ProbedFlow& flow) {
  return fmt::format("the probe {} the cells, worker {} to worker {} by {}{}", probe.when,
                     flow.path.from, flow.path.to, fmt::join(flow.directions, ", "),
                     speed_words(probe));
}

std::string advice(const LinkProbe& probe, const ProbedFlow& flow) {
  if (is_fast(probe, flow)) {
    return "where pacbench shapes the link, the shaping does not hold: compare the rates below "
           "\"links\" in manifest.json with the scenario's, and run pacbench doctor; a cluster's "
           "own link has become faster since its rate was measured, which a new run does again";
  }
  const char* calibrate = probe.calibrated
                              ? "run pacbench calibrate again if the machine has changed"
                              : "run pacbench calibrate for this rate and number of workers "
                                "(--rates, --workers): it finds what this machine can hold";
  return fmt::format("end other programs on this machine, or use fewer workers or a lower rate; {}",
                     calibrate);
}

/// Says how much of the CPUs' time a hypervisor kept; empty below 2 %. Stolen time slows
/// flows down on a virtual machine, though no program of that machine uses it.
std::string stolen_words(const LinkProbe& probe) {
  if (probe.stolen_share.value_or(0) < kStolenWorthSaying) return "";
  return fmt::format("; the hypervisor kept {:.0f} % of the CPUs' time from this machine (steal)",
                     100 * *probe.stolen_share);
}

std::string rate_reason(const LinkProbe& probe, const ProbedFlow& flow, std::size_t others) {
  const bool fast = is_fast(probe, flow);
  const bool paced = flow.offered_mbit > 0;
  const bool calibrated = probe.calibrated && !fast && !paced && !flow.datagrams;
  return fmt::format(
      "{}: {:.1f} Mbit/s of payload{}, expected {:.1f} ({}), {:.1f} % too {}{}{}{}; {}",
      opening(probe, flow), fast ? (1 + distance(probe, flow)) * due_mbit(flow) : flow.goodput_mbit,
      flow.datagrams ? " in UDP datagrams" : "",
      due_mbit(flow) * (fast ? 1 : reference(probe, flow)),
      paced        ? "offered, with all flows at once"
      : calibrated ? "calibrated"
                   : "by arithmetic",
      100 * distance(probe, flow), fast ? "fast" : "slow",
      flow.retransmits > 0 ? fmt::format(", {} segments sent again", flow.retransmits) : "",
      others > 0 ? fmt::format("; {} more of the {} flows are off too", others, probe.flows.size())
                 : "",
      fast ? "" : stolen_words(probe), advice(probe, flow));
}

std::optional<std::string> rtt_reason(const LinkProbe& probe, const ProbedFlow& flow) {
  if (!flow.rtt_ms || std::abs(*flow.rtt_ms - flow.expected_rtt_ms) <= flow.rtt_slack_ms) {
    return std::nullopt;
  }
  return fmt::format(
      "{}: a round trip of {:.2f} ms, expected {:.2f} within {:.2f}; end other programs on this "
      "machine, or run pacbench doctor to see whether netem works",
      opening(probe, flow), *flow.rtt_ms, flow.expected_rtt_ms, flow.rtt_slack_ms);
}

std::string queue_reason(const LinkProbe& probe, const ProbedQueue& queue) {
  const auto others = std::ranges::count_if(probe.queues, is_queue_off) - 1;
  return fmt::format(
      "the probe {} the cells: the full queue of {}{} held packets for {:.1f} ms, expected {:.1f} "
      "within {:g} %{}; compare the queues below \"links\" in manifest.json with the scenario's "
      "(queue_kb), and run pacbench doctor",
      probe.when, queue.direction, speed_words(probe),
      *queue.longest_ms < queue.expected_ms ? *queue.longest_ms : *queue.shortest_ms,
      queue.expected_ms, 100 * kQueueTolerance,
      others > 0 ? fmt::format("; {} more queues are off too", others) : "");
}

}  // namespace

std::optional<double> worst_ratio(const LinkProbe& probe) {
  if (!probe.failure.empty() || probe.flows.empty()) return std::nullopt;
  const auto off = [](const ProbedFlow& flow) { return std::abs(ratio(flow) - 1); };
  return ratio(*std::ranges::max_element(probe.flows, {}, off));
}

bool is_queue_off(const ProbedQueue& queue) {
  if (!queue.longest_ms || !queue.shortest_ms) return false;
  const double slack_ms = kQueueTolerance * queue.expected_ms + kQueueSlack_ms;
  const bool judges_long = queue.taken_share <= kTakenWorthSaying;
  return *queue.longest_ms < queue.expected_ms - slack_ms ||
         (judges_long && *queue.shortest_ms > queue.expected_ms + slack_ms);
}

bool is_off(const LinkProbe& probe, const ProbedFlow& flow) {
  return is_fast(probe, flow) || shortfall(probe, flow) > kGoodputTolerance + ends(flow);
}

std::vector<std::string> reasons(const LinkProbe& probe) {
  if (!probe.failure.empty()) {
    return {fmt::format("the probe {} the cells could not be made: {}", probe.when, probe.failure)};
  }
  std::vector<std::string> reasons;
  const ProbedFlow* worst = nullptr;
  std::size_t off = 0;
  for (const auto& flow : probe.flows) {
    if (auto reason = rtt_reason(probe, flow)) reasons.push_back(std::move(*reason));
    if (!is_off(probe, flow)) continue;
    ++off;
    if (worst == nullptr || distance(probe, flow) > distance(probe, *worst)) worst = &flow;
  }
  if (worst != nullptr) reasons.push_back(rate_reason(probe, *worst, off - 1));
  for (const auto& queue : probe.queues) {
    if (!is_queue_off(queue)) continue;
    reasons.push_back(queue_reason(probe, queue));
    break;
  }
  return reasons;
}

std::vector<std::string> disturbances(const LinkProbe& probe) {
  if (!probe.machine || probe.flows.empty()) return {};
  const double taken = probe.machine->taken_share();
  if (taken < kTakenWorthSaying) return {};
  const auto slowest = std::ranges::min_element(probe.flows, {}, ratio);
  auto words = fmt::format("the probe {} the cells: {:.0f} % of the CPUs' time was taken meanwhile",
                           probe.when, 100 * taken);
  if (is_held_up(probe, *slowest)) {
    words += fmt::format(
        "; its slowest flow had {:.2f} of its rate, and {:.2f} in its best parts "
        "or by the spacing of its packets",
        ratio(*slowest),
        std::max(*slowest->best_mbit, slowest->packet_mbit.value_or(0)) / due_mbit(*slowest));
  }
  return {words};
}

Json to_json(const LinkProbe& probe) {
  Json line = probe;
  line["event"] = EventKind::kProbe;
  return line;
}

LinkProbe link_probe_from_json(const Json& line) { return line.get<LinkProbe>(); }

}  // namespace pacbench::record
