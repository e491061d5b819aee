#include "contract/network/network.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "base/json/object_schema.h"

namespace pacbench {
namespace {

using namespace schema;

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

/// Adds the rates to the schema of a link or of an override.
void add_rates(Json& link) {
  const auto rate = checked_keys::number_schema("number", link_bounds::kRateMbit);
  link["properties"].update(
      {{"rate_mbit", described(rate, "10^6 bit/s each way, the same in both directions")},
       {"up_mbit", described(rate,
                             "star and overrides: the worker's sending; chain3: between switches, "
                             "towards the one with the higher number; groups: from a site's switch "
                             "towards the core; by default rate_mbit")},
       {"down_mbit", described(rate, "the other direction; by default rate_mbit")}});
}

Json rate_schedule_schema() {
  auto steps = object_schema<RateSchedule>();
  steps["properties"]["steps"]["maxItems"] = kMostSteps;
  const auto trace = closed_object(
      {{"trace", described({{"type", "string"}, {"minLength", 1}},
                           "file in Mahimahi's format, relative to the scenario's folder")},
       {"interval_ms", described(with_default(integer(10, 60000), 100),
                                 "length of the intervals over which the rate is averaged")}},
      {"trace"});
  return described({{"oneOf", {steps, trace}}}, "how the rate of both directions changes");
}

std::vector<std::string> topology_names() {
  std::vector<std::string> names;
  for (const auto& topology : topologies()) names.emplace_back(topology.name);
  return names;
}

Json groups_schema() {
  return described({{"type", "array"}, {"items", integer(1, kMostOnASwitch)}},
                   "workers on each switch, in the order of ranks; chain3: by default thirds; "
                   "required for groups");
}

/// The schema of "shape"; its description says for each topology what the numbers are.
Json shape_schema() {
  std::string words;
  for (const auto& topology : topologies()) {
    if (topology.shape.empty()) continue;
    words += fmt::format("{}{}: {}", words.empty() ? "" : "; ", topology.name,
                         fmt::join(topology.shape, ", "));
  }
  return described({{"type", "array"}, {"items", integer(1, kMostOnASwitch)}}, words.c_str());
}

Json link_schema() {
  auto link = object_schema<LinkProfile>();
  auto override_of_link = object_schema<LinkOverride>();
  add_rates(link);
  add_rates(override_of_link);
  link["properties"].update(
      {{"topology", described(one_of(topology_names()), "by default the network's")},
       {"groups", groups_schema()},
       {"shape", shape_schema()},
       {"overrides",
        described(array_of(override_of_link), "what is different about one worker's link")},
       {"schedule", rate_schedule_schema()}});
  link["anyOf"] = {{{"required", {"rate_mbit"}}},
                   {{"required", {"up_mbit", "down_mbit"}}},
                   {{"required", {"schedule"}}},
                   {{"required", {"measured"}}}};
  return link;
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

netd::Impairment overridden(const LinkOverride& entry, netd::Impairment base) {
  base.delay_ms = entry.delay_ms.value_or(base.delay_ms);
  base.jitter_ms = entry.jitter_ms.value_or(base.jitter_ms);
  base.loss = entry.loss.value_or(base.loss);
  base.reorder = entry.reorder.value_or(base.reorder);
  return base;
}

Json to_json(const Network& network) {
  Json node = network;
  for (const auto& link : network.links) node["links"].push_back(link_to_json(link, network));
  put_topology(node, network);
  return node;
}

Json network_schema() {
  auto network = object_schema<Network>();
  network["properties"].update(
      {{"topology", with_default(one_of(topology_names()), Network{}.topology)},
       {"groups", groups_schema()},
       {"shape", shape_schema()},
       {"links", described(list_of(link_schema()), "link profiles; every method runs over each")}});
  network["required"].push_back("links");
  return network;
}

}  // namespace pacbench
