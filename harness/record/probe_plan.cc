#include "harness/record/probe_plan.h"

#include <algorithm>

#include "base/frames.h"
#include "contract/network/network.h"

namespace pacbench::record {
namespace {

constexpr double kRttSlack_ms = 1;
// The other 4 % are for acknowledgements of the data in the opposite direction. TCP sends one for
// two segments, so those for a hundred full segments take about as many bytes as two segments.
constexpr double kPacedShare = 0.96;

double rate_mbit(const netd::CreateRequest& request, const std::string& direction) {
  return netd::find_direction(request, direction)->rate_mbit;
}

bool checks_nothing(const netd::CreateRequest& request, const std::vector<std::string>& route) {
  constexpr double kLeastShaped = 0.95;     // share of a declared rate, by rate_accounting
  constexpr std::size_t kWorkersLinks = 2;  // the sender's and the receiver's; the rest are trunks
  if (request.trunks.empty() || route.size() > kWorkersLinks) return false;
  return std::ranges::all_of(route, [&](const std::string& name) {
    return rate_mbit(request, name) >= kLeastShaped * LinkProfile{}.edge_mbit;
  });
}

/// Returns the direction in whose queue the data of a flow wait: the slowest on its route. Returns
/// an empty string when that is the first direction: the data then wait in the sender's socket, and
/// no acknowledgement waits behind them.
std::string standing_queue(const netd::CreateRequest& request,
                           const std::vector<std::string>& route) {
  const auto slowest = std::ranges::min_element(
      route, {}, [&](const auto& name) { return rate_mbit(request, name); });
  return slowest == route.begin() ? "" : *slowest;
}

/// Whether acknowledgements of `one` would wait behind the data of `other`.
bool waits_for(const netd::CreateRequest& request, const ProbedFlow& one, const ProbedFlow& other) {
  const auto back = netd::route(request, one.path.to, one.path.from);
  return std::ranges::count(back, standing_queue(request, other.directions)) > 0;
}

/// The first round in which `flow` neither waits for another flow nor makes one wait.
int first_free_round(const netd::CreateRequest& request, const std::vector<ProbedFlow>& flows,
                     const ProbedFlow& flow) {
  int round = 0;
  const auto is_taken = [&](const ProbedFlow& other) {
    return other.round == round &&
           (waits_for(request, flow, other) || waits_for(request, other, flow));
  };
  while (std::ranges::any_of(flows, is_taken)) ++round;
  return round;
}

/// Adds the delays of the path, there and back.
void add_delays(const netd::CreateRequest& request, const plan::Path& path, ProbedFlow& flow) {
  for (const auto& [from, to] : {path, plan::Path{path.to, path.from}}) {
    for (const auto& name : netd::route(request, from, to)) {
      const auto& impairment = netd::find_direction(request, name)->impairment;
      flow.expected_rtt_ms += impairment.delay_ms;
      flow.rtt_slack_ms += impairment.jitter_ms;
    }
  }
}

/// The payload rate of a flow when each direction gives equal parts of its rate to the flows of a
/// round. The smallest part on the flow's route counts.
double expected_mbit(const netd::CreateRequest& request, const std::vector<ProbedFlow>& flows,
                     const ProbedFlow& flow) {
  double least = 0;
  for (const auto& name : flow.directions) {
    const auto sharing = std::ranges::count_if(flows, [&](const ProbedFlow& other) {
      return other.round == flow.round && std::ranges::count(other.directions, name) > 0;
    });
    const double part_mbit = rate_mbit(request, name) / static_cast<double>(sharing);
    if (least == 0 || part_mbit < least) least = part_mbit;
  }
  return least * payload_share(request.mtu);
}

/// Adds a last round with all flows at the same time, each paced.
void add_paced_round(const netd::CreateRequest& request, std::vector<ProbedFlow>& flows) {
  auto paced = flows;
  const int last = rounds(flows);
  for (auto& flow : paced) flow.round = last;
  for (auto& flow : paced) {
    flow.expected_mbit = expected_mbit(request, paced, flow);
    flow.offered_mbit = kPacedShare * flow.expected_mbit;
  }
  flows.insert(flows.end(), paced.begin(), paced.end());
}

/// The share of packets that gets through all directions of a route. netem stands behind the
/// shaper, so a loss lowers the rate at which datagrams arrive.
double kept_share(const netd::CreateRequest& request, const std::vector<std::string>& route) {
  double kept = 1;
  for (const auto& name : route) kept *= 1 - netd::find_direction(request, name)->impairment.loss;
  return kept;
}

/// The rate at which packets of a flow are spaced, those that get lost included; 0 where it is not
/// that of the links. A trunk lets some packets through at once, and faster links carry them on
/// like that; jitter and reordering space packets anew. Of datagrams that come less than a
/// millisecond apart, a timer that is a little late lets several through at once.
double expected_spacing_mbit(const netd::CreateRequest& request, const ProbedFlow& flow) {
  constexpr double kSpacedDatagrams_mbit = 12;
  if (flow.datagrams && flow.expected_mbit > kSpacedDatagrams_mbit) return 0;
  for (const auto& name : flow.directions) {
    const auto& impairment = netd::find_direction(request, name)->impairment;
    if (name.starts_with("trunk") || impairment.jitter_ms > 0 || impairment.reorder > 0) return 0;
  }
  return flow.expected_mbit / (flow.datagrams ? kept_share(request, flow.directions) : 1);
}

void add_datagrams(const netd::CreateRequest& request, std::vector<ProbedFlow>& flows) {
  auto datagrams = flows;
  std::erase_if(datagrams, [](const ProbedFlow& flow) { return flow.offered_mbit > 0; });
  int round = rounds(flows);
  double sum_mbit = 0;
  for (auto& flow : datagrams) {
    flow.datagrams = true;
    // An upper bound: flows that share a direction get less.
    double rate = rate_mbit(request, flow.directions.front());
    for (const auto& name : flow.directions) rate = std::min(rate, rate_mbit(request, name));
    sum_mbit += rate;
    if (sum_mbit > kMostDatagrams_mbit && sum_mbit > rate) {
      ++round;
      sum_mbit = rate;
    }
    flow.round = round;
  }
  const auto of_payload = static_cast<double>(datagram_bytes(request.mtu)) /
                          static_cast<double>(segment_bytes(request.mtu));
  for (auto& flow : datagrams) {
    flow.expected_mbit =
        expected_mbit(request, datagrams, flow) * of_payload * kept_share(request, flow.directions);
  }
  flows.insert(flows.end(), datagrams.begin(), datagrams.end());
}

}  // namespace

std::vector<plan::Path> ring_of(std::int64_t workers) {
  std::vector<plan::Path> paths;
  for (int worker = 0; worker < workers; ++worker) {
    paths.push_back({worker, static_cast<int>((worker + 1) % workers)});
  }
  return paths;
}

std::vector<ProbedFlow> planned_flows(const netd::CreateRequest& request) {
  std::vector<ProbedFlow> flows;
  for (const auto& path : ring_of(std::ssize(request.workers))) {
    ProbedFlow flow;
    flow.path = path;
    flow.directions = netd::route(request, path.from, path.to);
    if (checks_nothing(request, flow.directions)) continue;
    flow.round = first_free_round(request, flows, flow);
    flow.rtt_slack_ms = kRttSlack_ms;
    add_delays(request, path, flow);
    flows.push_back(flow);
  }
  for (auto& flow : flows) flow.expected_mbit = expected_mbit(request, flows, flow);
  if (rounds(flows) > 1) add_paced_round(request, flows);
  if (!is_plain(request)) add_datagrams(request, flows);
  for (auto& flow : flows) flow.expected_spacing_mbit = expected_spacing_mbit(request, flow);
  return flows;
}

int rounds(const std::vector<ProbedFlow>& flows) {
  int count = 0;
  for (const auto& flow : flows) count = std::max(count, flow.round + 1);
  return count;
}

double share_beside_acknowledgements(const netd::CreateRequest& request) {
  if (!netd::needs_single_packets(request)) return 1;
  // One acknowledgement, of headers alone, for two full frames.
  return 1 -
         static_cast<double>(kFrameHeaderBytes) / static_cast<double>(2 * frame_bytes(request.mtu));
}

double longest_round_trip_ms(const netd::CreateRequest& request) {
  double longest_ms = 0;
  for (const auto& path : ring_of(std::ssize(request.workers))) {
    ProbedFlow both_ways;
    add_delays(request, path, both_ways);
    longest_ms = std::max(longest_ms, both_ways.expected_rtt_ms);
  }
  return longest_ms;
}

bool is_plain(const netd::CreateRequest& request) {
  return std::ranges::none_of(netd::direction_names(request), [&](const auto& name) {
    return netd::find_direction(request, name)->impairment.any();
  });
}

double bottleneck_mbit(const netd::CreateRequest& request) {
  double least = 0;
  for (const auto& flow : planned_flows(request)) {
    if (flow.offered_mbit > 0 || flow.datagrams) continue;
    if (least == 0 || flow.expected_mbit < least) least = flow.expected_mbit;
  }
  return least / payload_share(request.mtu);
}

}  // namespace pacbench::record
