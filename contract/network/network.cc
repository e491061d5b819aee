#include "contract/network/network.h"

#include <algorithm>

#include "contract/network/network_keys.h"

namespace pacbench {
namespace {

/// Writes the rates of both directions, as one rate_mbit when they are the same.
void put_rates(Json& node, const std::optional<double>& up, const std::optional<double>& down) {
  if (up && up == down) {
    node["rate_mbit"] = *up;
    return;
  }
  if (up) node["up_mbit"] = *up;
  if (down) node["down_mbit"] = *down;
}

template <typename Layout>
void put_topology(Json& node, const Layout& layout) {
  node["topology"] = layout.topology;
  if (!layout.groups.empty()) node["groups"] = layout.groups;
  if (!layout.shape.empty()) node["shape"] = layout.shape;
}

Json link_to_json(const LinkProfile& link, const Network& network) {
  Json node = link;
  if (link.topology != network.topology || link.groups != network.groups ||
      link.shape != network.shape) {
    put_topology(node, link);
  }
  if (!link.is_unknown()) put_rates(node, link.up_mbit, link.down_mbit);
  if (!link.has_edge()) node.erase("edge_mbit");
  if (link.schedule.any()) node["schedule"] = link.schedule;
  for (const auto& entry : link.overrides) {
    auto& written = node["overrides"].emplace_back(entry);
    put_rates(written, entry.up_mbit, entry.down_mbit);
  }
  return node;
}

}  // namespace

const std::vector<TopologyInfo>& topologies() {
  static const std::vector<TopologyInfo> all{
      {"star", "all workers on one switch; each worker's link is the slow one"},
      {"chain3",
       "three switches in a row, workers on each; the two links between switches are the slow ones "
       "(Fig. 4 of the PacTrain paper)"},
      {"groups",
       "sites of workers, each on a switch of its own, around a core; the links between sites and "
       "core are the slow ones"},
      {"fat-tree",
       "mode simulate: leaf switches with workers, each joined to every spine switch; all links "
       "alike",
       {"workers on each leaf switch", "leaf switches", "spine switches"},
       2},
      {"dragonfly",
       "mode simulate: groups of chassis of routers, joined all to all at each level; all links "
       "alike",
       {"groups", "chassis of each group", "routers of each chassis", "workers of each router"},
       4},
      {"torus",
       "mode simulate: each worker joined to its neighbours in two or three dimensions; all links "
       "alike",
       {"workers in the first dimension", "in the second", "in the third"},
       3},
  };
  return all;
}

bool is_simulated_only(const std::string& topology) {
  const auto& all = topologies();
  return std::any_of(all.begin(), all.end(), [&](const TopologyInfo& one) {
    return one.name == topology && !one.shape.empty();
  });
}

std::vector<int> thirds(int workers) {
  const int outer = (workers + 1) / 3;
  return {outer, workers - 2 * outer, outer};
}

Json to_json(const Network& network) {
  Json node = network;
  for (const auto& link : network.links) node["links"].push_back(link_to_json(link, network));
  put_topology(node, network);
  return node;
}

}  // namespace pacbench
