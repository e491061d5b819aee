#include "trainer/roles/tasks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <stdexcept>
#include <string>

#include "contract/catalogue/catalogue.h"
#include "trainer/averaging/exchange_times.h"
#include "trainer/compose/ranks_in_turn.h"
#include "trainer/data/dataset.h"
#include "trainer/rank/replica.h"

namespace pacbench::trainer {
namespace {

std::string module_of(const std::string& parameter) {
  return parameter.substr(0, parameter.rfind('.'));
}

/// A bucket for each module.
Layout layers_of(const std::vector<Parameter>& parameters) {
  Layout layers;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const auto& parameter = parameters[i];
    if (layers.empty() ||
        module_of(layers.back().slices.back().name) != module_of(parameter.name)) {
      const auto index = static_cast<int>(layers.size());
      layers.emplace_back().index = index;
    }
    add_to(layers.back(), i, parameter);
  }
  return layers;
}

/// Why the bytes that a method sends for a layer are not known beforehand; empty where they are
/// known.
std::string unknown_because(Method& method, const Choice& choice) {
  const auto infos = method_infos();
  const auto* info = find_named(infos, choice.name);
  if (info != nullptr && traits_of(*info, choice.options, infos).depends_on_time) {
    return "it decides by times that it measures while it trains";
  }
  if (!method.recording().ends_alone) return "it exchanges several layers as one";
  if (!method.leaves_mean()) return "it does not exchange a layer's gradient";
  if (method.scope() == Method::Scope::kModel) return "it exchanges the whole model at once";
  if (method.pruning()) return "it sends what its masks keep, and the masks depend on the weights";
  if (method.gradients().declares() != Averager::Declares::kBefore) {
    return "it sends a number of bytes that depends on the gradients";
  }
  return "";
}

/// The cost of each layer in the last iteration, which is after any warm-up that the run completes.
Json costs_of(const WorkerSpec& spec, const MethodOverLinks& exchange, const Layout& layers) {
  const auto& workload = spec.workload;
  const RunFacts run{exchange.link, workload.optimizer, workload.max_iterations};
  const Step last{workload.max_iterations, workload.optimizer.lr, workload.optimizer.lr};
  Json node{{"reason", ""}, {"costs", Json::array()}};
  try {
    node["reason"] = unknown_because(*make_method(exchange.method, run), exchange.method);
    if (node["reason"] != "") return node;
    RanksInTurn ranks{spec.workers};
    std::vector<std::unique_ptr<Method>> methods;
    for (int rank = 0; rank < spec.workers; ++rank) {
      methods.push_back(make_method(exchange.method, run));
    }
    ranks.run([&](int rank, Group& group) {
      return methods[static_cast<std::size_t>(rank)]->settle(layers, group);
    });
    for (const auto& layer : layers) {
      std::vector<std::vector<PlannedCollective>> calls;
      for (const auto& method : methods) calls.push_back(method->gradients().traffic(layer, last));
      const auto cost = cost_of(calls, exchange.link, exchange.round_trip_ms * 1e-3);
      node["costs"].push_back({{"sent_bytes", cost.sent_bytes}, {"wire_s", cost.wire_s}});
    }
  } catch (const std::invalid_argument& refused) {
    node["reason"] = refused.what();
  }
  return node;
}

}  // namespace

ExchangeCost cost_of(const std::vector<std::vector<PlannedCollective>>& calls,
                     const LinkFacts& link, double round_trip_s) {
  std::vector<int> all(calls.size());
  std::iota(all.begin(), all.end(), 0);
  std::vector<double> done_s(calls.size(), 0);
  std::vector<std::int64_t> sent(calls.size(), 0);
  for (std::size_t i = 0; i < calls.front().size(); ++i) {
    const auto& ranks = calls.front()[i].ranks;
    const auto& members = ranks.empty() ? all : ranks;
    const int size = static_cast<int>(members.size());
    double begin_s = 0;
    double longest_s = 0;
    for (int position = 0; position < size; ++position) {
      const auto rank = static_cast<std::size_t>(members[static_cast<std::size_t>(position)]);
      const auto& call = calls[rank].at(i);
      begin_s = std::max(begin_s, done_s[rank]);
      longest_s = std::max(longest_s, expected_wire_s(call, size, link, round_trip_s));
      sent[rank] += sent_bytes(call, position, size);
    }
    for (const int rank : members) done_s[static_cast<std::size_t>(rank)] = begin_s + longest_s;
  }
  return {*std::max_element(sent.begin(), sent.end()),
          *std::max_element(done_s.begin(), done_s.end())};
}

void run_exchange_costs(const WorkerSpec& spec) {
  const auto& workload = spec.workload;
  const auto model = make_model(workload.model, dataset_info(workload.dataset.name), spec.seed);
  const auto layers = layers_of(parameters_of(*model));
  Json event{{"event", "costs"}, {"layers", Json::array()}, {"exchanges", Json::array()}};
  for (const auto& layer : layers) {
    event["layers"].push_back(
        {{"name", module_of(layer.slices.front().name)}, {"elements", layer.elements}});
  }
  for (const auto& exchange : spec.exchanges) {
    event["exchanges"].push_back(costs_of(spec, exchange, layers));
  }
  fmt::print("{}\n", event.dump());
  std::fflush(stdout);
}

}  // namespace pacbench::trainer
