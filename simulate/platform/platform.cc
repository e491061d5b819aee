#include "simulate/platform/platform.h"

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

namespace pacbench::simulate {
namespace {

namespace s4u = simgrid::s4u;

constexpr double kBytesPerMbit = 1e6 / 8;
constexpr double kAnySpeed = 1e9;  // hosts compute nothing here

s4u::Link* one_way(s4u::NetZone& zone, const std::string& name, const netd::Direction& direction) {
  return zone.create_link(name, direction.rate_mbit * kBytesPerMbit)
      ->set_latency(1e-3 * direction.impairment.delay_ms)
      ->seal();
}

/// Switches are routers. Each direction of a link is a link of its own, since their rates may differ.
std::vector<s4u::Host*> make_tree(const netd::CreateRequest& tree) {
  auto& zone = *s4u::create_dijkstra_zone("tree", true);
  std::vector<simgrid::kernel::routing::NetPoint*> switches;
  for (int i = 0; i < tree.switches; ++i) {
    switches.push_back(zone.create_router(fmt::format("switch{}", i)));
  }
  const auto join = [&](auto* from, auto* to, s4u::Link* link) {
    zone.add_route(from, to, nullptr, nullptr, {s4u::LinkInRoute(link)}, false);
  };
  std::vector<s4u::Host*> hosts;
  for (int i = 0; i < static_cast<int>(tree.workers.size()); ++i) {
    const auto& worker = tree.workers[static_cast<std::size_t>(i)];
    auto* host = zone.create_host(fmt::format("worker{}", i), kAnySpeed)->seal();
    auto* at = switches.at(static_cast<std::size_t>(worker.attached_to));
    join(host->get_netpoint(), at, one_way(zone, netd::up_name(i), worker.up));
    join(at, host->get_netpoint(), one_way(zone, netd::down_name(i), worker.down));
    hosts.push_back(host);
  }
  for (int i = 0; i < static_cast<int>(tree.trunks.size()); ++i) {
    const auto& trunk = tree.trunks[static_cast<std::size_t>(i)];
    auto* a = switches.at(static_cast<std::size_t>(trunk.a));
    auto* b = switches.at(static_cast<std::size_t>(trunk.b));
    join(a, b, one_way(zone, netd::forward_name(i), trunk.forward));
    join(b, a, one_way(zone, netd::backward_name(i), trunk.backward));
  }
  zone.seal();
  return hosts;
}

/// SimGrid's own, whose links are all alike.
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

std::vector<s4u::Host*> make_platform(const SimulatedLinks& links) {
  return links.is_tree() ? make_tree(links.tree) : make_cluster(links);
}

}  // namespace pacbench::simulate
