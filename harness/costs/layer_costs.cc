#include "harness/costs/layer_costs.h"

#include <algorithm>

#include "contract/network/link_facts.h"
#include "harness/run/lone_workers.h"

namespace pacbench::costs {
namespace {

WorkerSpec spec_of(const Scenario& scenario) {
  WorkerSpec spec;
  spec.role = "exchange-costs";
  spec.workers = scenario.workers;
  spec.workload = scenario.workload;
  spec.workload.initial = Initial{};
  for (const auto& link : scenario.network.links) {
    // A way crosses two directions that delay, and so does the way back.
    const double round_trip_ms = 4 * link.impairment.delay_ms;
    for (const auto& method : scenario.methods) {
      spec.exchanges.push_back({method.choice, link_facts(link), round_trip_ms});
    }
  }
  return spec;
}

MethodCosts costs_from(const std::string& label, const Json& node) {
  MethodCosts costs{label, node.at("reason"), {}};
  for (const auto& cost : node.at("costs")) {
    costs.layers.push_back({cost.at("sent_bytes"), cost.at("wire_s")});
  }
  return costs;
}

void add(Cost& sum, const Cost& cost) {
  sum.sent_bytes += cost.sent_bytes;
  sum.wire_s += cost.wire_s;
}

std::string ms(double seconds) { return significant(seconds * 1e3); }

std::vector<std::string> row_of(const std::string& layer, std::int64_t elements,
                                const std::string& fastest, const std::vector<Cost>& costs) {
  std::vector<std::string> row{layer, std::to_string(elements), fastest};
  for (const auto& cost : costs) {
    row.push_back(std::to_string(cost.sent_bytes));
    row.push_back(ms(cost.wire_s));
  }
  return row;
}

}  // namespace

LayerCosts layer_costs(const Scenario& scenario, const Programs& programs,
                       const Interrupt& interrupt) {
  const run::LoneWork work{"planning of exchanges", "costs"};
  const auto event = run::run_alone({spec_of(scenario)}, work, programs, interrupt).front();
  LayerCosts all;
  all.model = scenario.workload.model.name;
  all.workers = scenario.workers;
  for (const auto& layer : event.at("layers")) {
    all.layers.push_back({layer.at("name"), layer.at("elements")});
  }
  std::size_t number = 0;
  for (const auto& profile : scenario.network.links) {
    auto& link = all.links.emplace_back(LayerCosts::Link{profile.name, {}});
    for (const auto& method : scenario.methods) {
      link.methods.push_back(costs_from(method.label, event.at("exchanges").at(number++)));
    }
  }
  return all;
}

std::vector<std::size_t> fastest_by_layer(const LayerCosts::Link& link) {
  std::vector<std::size_t> fastest;
  const auto& methods = link.methods;
  for (std::size_t method = 0; method < methods.size(); ++method) {
    fastest.resize(std::max(fastest.size(), methods[method].layers.size()), method);
    for (std::size_t layer = 0; layer < methods[method].layers.size(); ++layer) {
      const auto& best = methods[fastest[layer]].layers[layer];
      if (methods[method].layers[layer].wire_s < best.wire_s) fastest[layer] = method;
    }
  }
  return fastest;
}

Table costs_table(const std::vector<LayerCosts::Layer>& layers, const LayerCosts::Link& link) {
  Table table{{{"", "layer", true},
               {"", "elements"},
               {"least time", "method", true},
               {"least time", "bytes"},
               {"least time", "ms"}},
              {}};
  for (const auto& method : link.methods) {
    if (method.layers.empty()) continue;
    table.columns.push_back({method.label, "bytes"});
    table.columns.push_back({method.label, "ms"});
  }
  const auto fastest = fastest_by_layer(link);
  if (fastest.empty()) return table;

  // The first sum adds the costs of each layer's fastest method.
  std::vector<Cost> sums(table.columns.size() / 2 - 1);
  std::int64_t elements = 0;
  for (std::size_t layer = 0; layer < layers.size(); ++layer) {
    const auto& best = link.methods[fastest[layer]];
    std::vector<Cost> costs{best.layers[layer]};
    for (const auto& method : link.methods) {
      if (!method.layers.empty()) costs.push_back(method.layers[layer]);
    }
    elements += layers[layer].elements;
    for (std::size_t i = 0; i < costs.size(); ++i) add(sums[i], costs[i]);
    table.rows.push_back(row_of(layers[layer].name, layers[layer].elements, best.label, costs));
  }
  table.rows.push_back(row_of("all", elements, "fastest of each layer", sums));
  return table;
}

Json to_json(const LayerCosts& costs) {
  Json layers = Json::array();
  for (const auto& layer : costs.layers) {
    layers.push_back({{"layer", layer.name}, {"elements", layer.elements}});
  }
  Json links = Json::array();
  for (const auto& link : costs.links) {
    Json methods = Json::array();
    for (const auto& method : link.methods) {
      auto& node = methods.emplace_back(Json{
          {"label", method.label}, {"unknown_because", method.reason}, {"layers", Json::array()}});
      for (const auto& cost : method.layers) {
        node["layers"].push_back({{"sent_bytes", cost.sent_bytes}, {"expected_s", cost.wire_s}});
      }
    }
    Json fastest = Json::array();
    for (const auto method : fastest_by_layer(link)) fastest.push_back(link.methods[method].label);
    links.push_back({{"link", link.name}, {"methods", methods}, {"fastest", fastest}});
  }
  return {{"format", LayerCosts::kFormat},
          {"model", costs.model},
          {"workers", costs.workers},
          {"layers", layers},
          {"links", links}};
}

}  // namespace pacbench::costs
