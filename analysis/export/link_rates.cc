#include "analysis/export/link_rates.h"

#include <fmt/format.h>

#include <algorithm>

#include "contract/scenario/fabric_request.h"

namespace pacbench::exports {
namespace {

/// The parts of a scenario that the rates of its links depend on.
Scenario scenario_of_links(const std::string& source, const Json& canonical) {
  std::vector<Issue> issues;
  const ObjectReader reader{canonical.at("network"), "/scenario/network", issues};
  Scenario scenario;
  scenario.workers = canonical.at("workers").get<int>();
  scenario.network = read_network(reader, scenario.workers, source);
  if (!issues.empty()) throw ConfigError{source, issues};
  return scenario;
}

const LinkProfile& find_link(const std::string& source, const Network& network,
                             const std::string& name) {
  for (const auto& link : network.links) {
    if (link.name == name) return link;
  }
  throw ConfigError{
      source,
      {{"/scenario/network/links",
        fmt::format("found no link \"{}\", expected it because a cell ran over it: the file "
                    "was edited; restore it or repeat the run",
                    name)}}};
}

void take_step(std::vector<RateChange>& changes, const netd::SteppedEvent& step) {
  if (step.applied_ns <= changes.front().at_ns) {
    changes.front().rate_mbit = step.rate_mbit;
  } else {
    changes.push_back({step.applied_ns, step.rate_mbit});
  }
}

}  // namespace

std::map<std::string, std::vector<RateChange>> link_rates(const std::string& source,
                                                          const Json& canonical,
                                                          const std::string& link,
                                                          const record::NetworkTrace& trace,
                                                          std::int64_t start_ns) {
  const auto scenario = scenario_of_links(source, canonical);
  const auto& profile = find_link(source, scenario.network, link);
  const auto request = fabric_request(scenario, profile);
  std::map<std::string, std::vector<RateChange>> rates;
  for (const auto& name : netd::direction_names(request)) {
    rates[name] = {{start_ns, netd::find_direction(request, name)->rate_mbit}};
  }
  for (const auto& name : profiled_directions(scenario, profile)) {
    for (const auto& step : trace.steps()) take_step(rates.at(name), step);
  }
  return rates;
}

}  // namespace pacbench::exports
