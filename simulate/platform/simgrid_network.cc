#include "simulate/platform/simgrid_network.h"

#include <fmt/format.h>
#include <xbt/log.h>

#include <map>
#include <stdexcept>
#include <utility>

namespace pacbench::simulate {
namespace {

namespace s4u = simgrid::s4u;

constexpr double kBytesPerMbit = 1e6 / 8;
constexpr double kAnySpeed = 1e9;  // SimGrid's hosts compute nothing

/// A tree of switches. Each switch is a zone with a router and its workers around it, so that
/// SimGrid finds a route without a search, however many workers there are. Each direction of a link
/// is a SimGrid link of its own, since the two rates may differ.
class Tree {
 public:
  explicit Tree(const netd::CreateRequest& tree)
      : tree_{tree}, zone_{*s4u::create_full_zone("tree")} {
    for (int i = 0; i < tree.switches; ++i) add_switch(i);
    for (int i = 0; i < static_cast<int>(tree.workers.size()); ++i) add_worker(i);
    for (int i = 0; i < static_cast<int>(tree.trunks.size()); ++i) add_trunk(i);
    for (auto& one : switches_) one.zone->seal();
    for (int from = 0; from < tree.switches; ++from) add_routes(from);
    zone_.seal();
  }

  const std::vector<s4u::Host*>& hosts() const { return hosts_; }

 private:
  struct Switch {
    s4u::NetZone* zone;
    simgrid::kernel::routing::NetPoint* router;
    std::map<int, s4u::Link*> to = {};  ///< trunks to its neighbours
  };

  s4u::Link* one_way(s4u::NetZone& zone, const std::string& name,
                     const netd::Direction& direction) const {
    return zone.create_link(name, direction.rate_mbit * kBytesPerMbit)
        ->set_latency(1e-3 * direction.impairment.delay_ms)
        ->seal();
  }

  Switch& switch_of(int number) { return switches_.at(static_cast<std::size_t>(number)); }

  void add_switch(int number) {
    auto* zone = s4u::create_star_zone(fmt::format("switch{}", number))->set_parent(&zone_);
    auto* router = zone->create_router(fmt::format("router{}", number));
    zone->add_route(router, nullptr, nullptr, nullptr, std::vector<s4u::LinkInRoute>{});
    switches_.push_back({zone, router});
  }

  void add_worker(int number) {
    const auto& worker = tree_.workers[static_cast<std::size_t>(number)];
    auto& zone = *switch_of(worker.attached_to).zone;
    auto* host = zone.create_host(fmt::format("worker{}", number), kAnySpeed)->seal();
    const s4u::LinkInRoute up{one_way(zone, netd::up_name(number), worker.up)};
    const s4u::LinkInRoute down{one_way(zone, netd::down_name(number), worker.down)};
    zone.add_route(host->get_netpoint(), nullptr, nullptr, nullptr, {up}, false);
    zone.add_route(nullptr, host->get_netpoint(), nullptr, nullptr, {down}, false);
    hosts_.push_back(host);
  }

  void add_trunk(int number) {
    const auto& trunk = tree_.trunks[static_cast<std::size_t>(number)];
    switch_of(trunk.a).to[trunk.b] = one_way(zone_, netd::forward_name(number), trunk.forward);
    switch_of(trunk.b).to[trunk.a] = one_way(zone_, netd::backward_name(number), trunk.backward);
  }

  /// Adds routes from a switch to all other switches, by way of its neighbours.
  void add_routes(int from) {
    for (const auto& [neighbour, link] : switch_of(from).to) {
      follow(from, neighbour, from, {s4u::LinkInRoute{link}});
    }
  }

  void follow(int from, int at, int before, const std::vector<s4u::LinkInRoute>& links) {
    zone_.add_route(switch_of(from).zone->get_netpoint(), switch_of(at).zone->get_netpoint(),
                    switch_of(from).router, switch_of(at).router, links, false);
    for (const auto& [next, link] : switch_of(at).to) {
      if (next == before) continue;
      auto further = links;
      further.emplace_back(link);
      follow(from, next, at, further);
    }
  }

  const netd::CreateRequest& tree_;
  s4u::NetZone& zone_;
  std::vector<Switch> switches_;
  std::vector<s4u::Host*> hosts_;
};

/// Makes one of SimGrid's own cluster topologies, whose links are all alike.
std::vector<s4u::Host*> make_cluster(const SimulatedLinks& links) {
  std::vector<s4u::Host*> hosts;
  const auto make_host = [&hosts](s4u::NetZone* zone, const std::vector<unsigned long>& /*place*/,
                                  unsigned long id) {
    hosts.push_back(zone->create_host(fmt::format("worker{}", id), kAnySpeed)->seal());
    return std::make_pair(hosts.back()->get_netpoint(),
                          static_cast<simgrid::kernel::routing::NetPoint*>(nullptr));
  };
  const s4u::ClusterCallbacks callbacks{make_host};
  const double rate = links.rate_mbit * kBytesPerMbit;
  const double latency_s = 1e-3 * links.delay_ms;
  constexpr auto kBothWays = s4u::Link::SharingPolicy::SPLITDUPLEX;
  std::vector<unsigned> shape(links.shape.begin(), links.shape.end());
  s4u::NetZone* zone = nullptr;
  if (links.topology == "fat-tree") {
    const s4u::FatTreeParams two_levels{2, {shape.at(0), shape.at(1)}, {1, shape.at(2)}, {1, 1}};
    zone = s4u::create_fatTree_zone("cluster", nullptr, two_levels, callbacks, rate, latency_s,
                                    kBothWays);
  } else if (links.topology == "dragonfly") {
    const s4u::DragonflyParams single_links{
        {shape.at(0), 1}, {shape.at(1), 1}, {shape.at(2), 1}, shape.at(3)};
    zone = s4u::create_dragonfly_zone("cluster", nullptr, single_links, callbacks, rate, latency_s,
                                      kBothWays);
  } else if (links.topology == "torus") {
    const std::vector<unsigned long> dimensions(shape.begin(), shape.end());
    zone = s4u::create_torus_zone("cluster", nullptr, dimensions, callbacks, rate, latency_s,
                                  kBothWays);
  } else {
    throw std::invalid_argument{fmt::format(
        "found topology \"{}\", expected fat-tree, dragonfly or torus", links.topology)};
  }
  zone->seal();
  return hosts;
}

}  // namespace

SimGridNetwork::SimGridNetwork(const SimulatedLinks& links, const Simulate& model)
    : links_{links}, engine_{"pacbench-simulate"}, bandwidth_factor_{model.bandwidth_factor} {
  // SimGrid reports its progress on standard error, which is kept for failures.
  xbt_log_control_set("root.thresh:warning");
  hosts_ = links.is_tree() ? Tree{links.tree}.hosts() : make_cluster(links);
}

const Path& SimGridNetwork::path(int from, int to) {
  const auto key = static_cast<std::uint64_t>(from) << 32 | static_cast<std::uint64_t>(to);
  const auto [place, is_new] = paths_.try_emplace(key);
  auto& path = place->second;
  if (!is_new) return path;
  std::vector<s4u::Link*> links;
  hosts_[static_cast<std::size_t>(from)]->route_to(hosts_[static_cast<std::size_t>(to)], links,
                                                   &path.latency_s);
  for (const auto* link : links) path.directions.push_back(number_of(*link));
  return path;
}

int SimGridNetwork::number_of(const s4u::Link& link) {
  const auto next = static_cast<int>(directions_.size());
  const auto [place, is_new] = numbers_.try_emplace(link.get_name(), next);
  if (is_new) {
    directions_.push_back(link.get_name());
    Service service{bandwidth_factor_ * link.get_bandwidth(), {}};
    if (links_.is_tree()) {
      const auto shaper = netd::shaper_of(links_.tree, link.get_name());
      service.bucket_bytes = static_cast<double>(shaper.ceil_burst_bytes);
    }
    services_.push_back(service);
  }
  return place->second;
}

}  // namespace pacbench::simulate
