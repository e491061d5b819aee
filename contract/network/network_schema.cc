#include <fmt/ranges.h>

#include "base/json/object_schema.h"
#include "base/json/schema_parts.h"
#include "contract/network/network_keys.h"

namespace pacbench {
namespace {

using namespace schema;

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
