#include "analysis/export/timeline.h"

#include <fmt/format.h>

#include <set>

#include "contract/scenario/fabric_request.h"
#include "harness/record/spans.h"

namespace pacbench::exports {
namespace {

/// The slice around the phases of a track. A span that ends before it begins gets length 0.
Slice holder(int track, const char* category, std::string name, Span span, Json args) {
  span.end_ns = std::max(span.end_ns, span.start_ns);
  return {track, category, std::move(name), span, std::move(args)};
}

Slice slice_of(const record::Phase& phase, bool after_collective) {
  const std::string_view kind{phase.kind};
  Slice slice{1 + phase.bucket, phase.kind, phase.kind, phase.time};
  if (phase.bucket < 0 && kind != "wait") slice.category = "compute";
  if (const auto* collective = phase.collective) {
    slice.name = collective->op;
    slice.args = {{"dtype", collective->dtype},
                  {"elements", collective->elements},
                  {"payload_bytes", collective->payload_bytes},
                  {"sent_bytes", collective->sent_bytes}};
  } else if (kind == "encode" && after_collective) {
    slice.name = "decode, encode";
  }
  return slice;
}

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
  const auto found = std::ranges::find(network.links, name, &LinkProfile::name);
  if (found != network.links.end()) return *found;
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

std::vector<Slice> iteration_slices(const IterationEvent& event) {
  std::vector<Slice> slices{holder(0, "compute", fmt::format("iteration {}", event.iteration),
                                   event.step,
                                   {{"iteration", event.iteration}, {"loss", event.loss}})};
  for (const auto& bucket : event.buckets) {
    auto args = bucket.notes;
    args["elements"] = bucket.elements;
    slices.push_back(holder(1 + bucket.index, "exchange", fmt::format("bucket {}", bucket.index),
                            bucket.exchange, std::move(args)));
  }
  std::set<int> sent;
  for (const auto& phase : record::iteration_phases(event)) {
    slices.push_back(slice_of(phase, sent.contains(phase.bucket)));
    if (phase.collective != nullptr) sent.insert(phase.bucket);
  }
  return slices;
}

std::vector<Backlog> backlog(const IterationEvent& event) {
  std::map<std::int64_t, std::int64_t> changes;
  for (const auto& bucket : event.buckets) {
    for (const auto& collective : bucket.collectives) {
      changes[collective.ready_ns] += collective.sent_bytes;
      changes[collective.wire.end_ns] -= collective.sent_bytes;
    }
  }
  std::vector<Backlog> values;
  std::int64_t bytes = 0;
  for (const auto& [at_ns, change] : changes) {
    bytes += change;
    values.push_back({at_ns, bytes});
  }
  return values;
}

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
