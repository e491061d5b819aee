#include "simulate/platform/simgrid_network.h"

#include <fmt/format.h>

#include <xbt/log.h>
#include <algorithm>
#include <cmath>
#include <simgrid/kernel/Timer.hpp>
#include <utility>

#include "base/frames.h"
#include "simulate/platform/platform.h"

namespace pacbench::simulate {
namespace {

namespace s4u = simgrid::s4u;

}  // namespace

SimGridNetwork::SimGridNetwork(const SimulatedLinks& links, const Simulate& model, bool lone_flows)
    : sharing_{model.sharing_factor},
      engine_{"pacbench-simulate"},
      bandwidth_factor_{model.bandwidth_factor},
      mtu_{links.tree.mtu},
      // Linux lets a connection have two packets in its device's queue (tcp_limit_output_bytes).
      most_bytes_of_each_{2.0 * static_cast<double>(links.tree.shaper.gso_max_bytes)},
      takes_lone_flows_{lone_flows},
      lone_{*this, [this](LoneFlows::Rest rest) { share(std::move(rest)); }} {
  // SimGrid reports its progress on standard error, which is kept for failures.
  xbt_log_control_set("root.thresh:warning");
  s4u::Engine::set_config("network/model:CM02");
  s4u::Engine::set_config(fmt::format("network/bandwidth-factor:{}", model.bandwidth_factor));
  s4u::Engine::set_config("network/latency-factor:0");
  // TCP-gamma is off: without latency there is no window that could bound a flow.
  s4u::Engine::set_config("network/TCP-gamma:0");
  // Acknowledgements are part of the bandwidth factor.
  s4u::Engine::set_config("network/crosstraffic:0");
  hosts_ = make_platform(links, sharing_);
  for (int trunk = 0; trunk < static_cast<int>(links.tree.trunks.size()); ++trunk) {
    const auto& both = links.tree.trunks[static_cast<std::size_t>(trunk)];
    give_queue(netd::forward_name(trunk), both.forward);
    give_queue(netd::backward_name(trunk), both.backward);
  }
  s4u::Activity::on_completion_cb([this](const s4u::Activity& flow) { ended(flow); });
}

void SimGridNetwork::give_queue(const std::string& name, const netd::Direction& direction) {
  if (direction.queue_bytes > 0) given_queues_[name] = static_cast<double>(direction.queue_bytes);
}

void SimGridNetwork::after(double seconds, Then then) {
  simgrid::kernel::timer::Timer::set(now_s() + seconds, std::move(then));
}

void SimGridNetwork::carry(int from, int to, double wire_bytes, Then then) {
  const auto& way = path(from, to);
  LoneFlows::Rest flow{from, to, wire_bytes, {}, way.standing, std::move(then)};
  if (takes_lone_flows_) {
    flow.directions = way.directions;
    if (lone_.take(flow)) return;
  }
  share(std::move(flow));
}

void SimGridNetwork::share(LoneFlows::Rest rest) {
  auto flow = s4u::Comm::sendto_init(hosts_[static_cast<std::size_t>(rest.from)],
                                     hosts_[static_cast<std::size_t>(rest.to)]);
  // SimGrid accepts whole bytes only.
  const auto bytes = std::max<std::int64_t>(std::llround(rest.bytes), 1);
  flow->set_payload_size(static_cast<std::uint64_t>(bytes));
  const auto& way = path(rest.from, rest.to);
  if (way.standing >= 0) standing_[way.standing].insert(flow.get());
  for (const int direction : way.directions) crossing(direction).add(rest.from, rest.to);
  flows_.emplace(flow.get(), Flow{flow, rest.from, rest.to, &way, std::move(rest.directions),
                                  std::move(rest.then)});
  flow->start();
}

void SimGridNetwork::ended(const s4u::Activity& flow) {
  auto node = flows_.extract(&flow);
  if (node.empty()) return;
  auto& known = node.mapped();
  ended_ = std::move(known.comm);
  lone_.leave(known.directions);
  if (known.way->standing >= 0) standing_.at(known.way->standing).erase(&flow);
  for (const int direction : known.way->directions)
    crossing(direction).remove(known.from, known.to);
  known.then();
}

const Path& SimGridNetwork::path(int from, int to) {
  const auto key = static_cast<std::uint64_t>(from) << 32 | static_cast<std::uint64_t>(to);
  const auto [place, is_new] = paths_.try_emplace(key);
  auto& path = place->second;
  if (!is_new) return path;
  std::vector<s4u::Link*> links;
  hosts_[static_cast<std::size_t>(from)]->route_to(hosts_[static_cast<std::size_t>(to)], links,
                                                   &path.latency_s);
  for (const auto* link : links) {
    number(*link);
    path.directions.push_back(numbers_.at(link->get_name()));
  }
  const auto slowest = std::min_element(
      path.directions.begin(), path.directions.end(),
      [this](int one, int other) { return queue(one).bytes_per_s < queue(other).bytes_per_s; });
  path.standing = *slowest;
  return path;
}

void SimGridNetwork::number(const s4u::Link& link) {
  const auto next = static_cast<int>(directions_.size());
  if (!numbers_.try_emplace(link.get_name(), next).second) return;
  directions_.push_back(link.get_name());
  crossing_.push_back(&sharing_.crossing(link.get_name()));
  const double bytes_per_s = bandwidth_factor_ * link.get_bandwidth();
  lone_.set_rate(next, bytes_per_s);
  // The queue that a switch has in front of each port, as docs/fidelity/chains.md says.
  constexpr std::int64_t kFrames = 1000;
  const auto given = given_queues_.find(link.get_name());
  const auto most_bytes = given != given_queues_.end()
                              ? given->second
                              : static_cast<double>(kFrames * frame_bytes(mtu_));
  queues_.push_back({bytes_per_s, most_bytes, most_bytes_of_each_});
}

double SimGridNetwork::standing_bytes(int direction, double most_of_each) {
  double bytes = 0;
  if (const auto shared = standing_.find(direction); shared != standing_.end()) {
    for (const auto* flow : shared->second) {
      bytes += std::min(flows_.at(flow).comm->get_remaining(), most_of_each);
    }
  }
  // A lone flow waits only in front of its slowest direction.
  return bytes + std::min(lone_.standing_at(direction), most_of_each);
}

}  // namespace pacbench::simulate
