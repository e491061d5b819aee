#include "spec/network.h"

namespace pacbench {
namespace {

void put_unless_zero(Json& node, const char* key, double value) {
  if (value != 0) node[key] = value;
}

template <typename Value>
void put_if_given(Json& node, const char* key, const std::optional<Value>& value) {
  if (value) node[key] = *value;
}

/// The same rate both ways is one rate.
void put_rates(Json& node, const std::optional<double>& up, const std::optional<double>& down) {
  if (up && up == down) {
    node["rate_mbit"] = *up;
    return;
  }
  put_if_given(node, "up_mbit", up);
  put_if_given(node, "down_mbit", down);
}

Json to_json(const RateSchedule& schedule) {
  Json steps = Json::array();
  for (const auto& step : schedule.steps) {
    steps.push_back({{"at_s", step.at_s}, {"rate_mbit", step.rate_mbit}});
  }
  Json node{{"steps", steps}};
  put_unless_zero(node, "repeat_s", schedule.repeat_s);
  return node;
}

Json to_json(const LinkOverride& entry) {
  Json node{{"worker", entry.worker}};
  put_rates(node, entry.up_mbit, entry.down_mbit);
  put_if_given(node, "delay_ms", entry.delay_ms);
  put_if_given(node, "jitter_ms", entry.jitter_ms);
  put_if_given(node, "loss", entry.loss);
  put_if_given(node, "reorder", entry.reorder);
  put_if_given(node, "queue_kb", entry.queue_kb);
  return node;
}

Json to_json(const Load& load) {
  Json node{{"from", load.from}, {"to", load.to}, {"start_s", load.start_s}, {"end_s", load.end_s}};
  put_if_given(node, "rate_mbit", load.rate_mbit);
  return node;
}

template <typename Entry>
void put_list(Json& node, const char* key, const std::vector<Entry>& entries) {
  for (const auto& entry : entries) node[key].push_back(to_json(entry));
}

void put_topology(Json& node, const std::string& topology, const std::vector<int>& groups) {
  node["topology"] = topology;
  if (!groups.empty()) node["groups"] = groups;
}

Json link_to_json(const LinkProfile& link, const Network& network) {
  Json node{{"name", link.name}};
  if (link.topology != network.topology || link.groups != network.groups) {
    put_topology(node, link.topology, link.groups);
  }
  put_rates(node, link.up_mbit, link.down_mbit);
  put_unless_zero(node, "delay_ms", link.impairment.delay_ms);
  put_unless_zero(node, "jitter_ms", link.impairment.jitter_ms);
  put_unless_zero(node, "loss", link.impairment.loss);
  put_unless_zero(node, "reorder", link.impairment.reorder);
  if (link.queue_kb != 0) node["queue_kb"] = link.queue_kb;
  if (link.has_edge()) node["edge_mbit"] = link.edge_mbit;
  if (link.schedule.any()) node["schedule"] = to_json(link.schedule);
  put_list(node, "overrides", link.overrides);
  put_list(node, "load", link.loads);
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
  };
  return all;
}

std::vector<int> thirds(int workers) {
  const int outer = (workers + 1) / 3;
  return {outer, workers - 2 * outer, outer};
}

Json to_json(const Network& network) {
  Json links = Json::array();
  for (const auto& link : network.links) links.push_back(link_to_json(link, network));
  Json node{{"mtu", network.mtu},
            {"rate_accounting", network.rate_accounting},
            {"congestion_control", network.congestion_control},
            {"links", links}};
  put_topology(node, network.topology, network.groups);
  return node;
}

}  // namespace pacbench
