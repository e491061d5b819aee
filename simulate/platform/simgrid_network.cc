#include "simulate/platform/simgrid_network.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <simgrid/kernel/Timer.hpp>
#include <utility>
#include <xbt/log.h>

#include "simulate/platform/platform.h"

namespace pacbench::simulate {
namespace {

namespace s4u = simgrid::s4u;

}  // namespace

SimGridNetwork::SimGridNetwork(const SimulatedLinks& links, double bandwidth_factor,
                               bool lone_flows)
    : engine_{"pacbench-simulate"},
      bandwidth_factor_{bandwidth_factor},
      takes_lone_flows_{lone_flows},
      lone_{*this, [this](LoneFlows::Rest rest) { share(std::move(rest)); }} {
  // What it says of itself goes to standard error, which is kept for what went wrong.
  xbt_log_control_set("root.thresh:warning");
  s4u::Engine::set_config("network/model:CM02");
  s4u::Engine::set_config(fmt::format("network/bandwidth-factor:{}", bandwidth_factor));
  s4u::Engine::set_config("network/latency-factor:0");
  // Without latency there is no window that could bound a flow.
  s4u::Engine::set_config("network/TCP-gamma:0");
  // Acknowledgements are part of the bandwidth factor.
  s4u::Engine::set_config("network/crosstraffic:0");
  hosts_ = make_platform(links);
  s4u::Activity::on_completion_cb([this](const s4u::Activity& flow) { ended(flow); });
}

void SimGridNetwork::after(double seconds, Then then) {
  simgrid::kernel::timer::Timer::set(now_s() + seconds, std::move(then));
}

void SimGridNetwork::carry(int from, int to, double wire_bytes, Then then) {
  LoneFlows::Rest flow{from, to, wire_bytes, {}, std::move(then)};
  if (takes_lone_flows_) {
    flow.directions = path(from, to).directions;
    if (lone_.take(flow)) return;
  }
  share(std::move(flow));
}

void SimGridNetwork::share(LoneFlows::Rest rest) {
  auto flow = s4u::Comm::sendto_init(hosts_[static_cast<std::size_t>(rest.from)],
                                     hosts_[static_cast<std::size_t>(rest.to)]);
  // SimGrid takes whole bytes.
  const auto bytes = std::max<std::int64_t>(std::llround(rest.bytes), 1);
  flow->set_payload_size(static_cast<std::uint64_t>(bytes));
  flows_.emplace(flow.get(), Flow{flow, std::move(rest.directions), std::move(rest.then)});
  flow->start();
}

void SimGridNetwork::ended(const s4u::Activity& flow) {
  auto node = flows_.extract(&flow);
  if (node.empty()) return;
  ended_ = std::move(node.mapped().comm);
  lone_.leave(node.mapped().directions);
  node.mapped().then();
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
    const auto next = static_cast<int>(directions_.size());
    const auto [number, is_new_direction] = numbers_.try_emplace(link->get_name(), next);
    if (is_new_direction) {
      directions_.push_back(link->get_name());
      lone_.set_rate(next, bandwidth_factor_ * link->get_bandwidth());
    }
    path.directions.push_back(number->second);
  }
  return path;
}

}  // namespace pacbench::simulate
