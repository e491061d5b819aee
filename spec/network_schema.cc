#include "spec/folder_name.h"
#include "spec/network.h"
#include "spec/schema_parts.h"

namespace pacbench {
namespace {

using namespace schema;

Json rate() { return number(kLeastLinkMbit, kMostLinkMbit); }
Json delay() { return number(0, 10000); }
Json share() { return number(0, 0.5); }
Json time_s() { return number(0, 86400); }
Json worker() { return integer(0, 127); }

/// What a profile and an override of it have in common.
Json shape_properties() {
  return {{"rate_mbit", described(rate(), "10^6 bit/s, one way, both ways the same")},
          {"up_mbit", described(rate(),
                                "star: sent by the worker; chain3: to the right; groups: "
                                "towards the core; by default rate_mbit")},
          {"down_mbit", described(rate(), "the other way; by default rate_mbit")},
          {"delay_ms", described(delay(), "of each packet, one way, at each link that has it")},
          {"jitter_ms", described(delay(), "the delay is uniform within delay_ms ± jitter_ms")},
          {"loss", described(share(), "share of packets lost, one way, independently")},
          {"reorder", described(share(), "share of packets that are not delayed and so overtake")},
          {"queue_kb", described(integer(1, 1000000),
                                 "1024 bytes, in front of each direction; by "
                                 "default what rate and flows need")}};
}

Json override_schema() {
  auto properties = shape_properties();
  properties["worker"] = worker();
  return described(closed_object(properties, {"worker"}),
                   "what is different about one worker's link");
}

Json load_schema() {
  return closed_object({{"from", worker()},
                        {"to", worker()},
                        {"start_s", described(time_s(), "from the start of training")},
                        {"end_s", time_s()},
                        {"rate_mbit", described(rate(), "as offered; by default what TCP gets")}},
                       {"from", "to", "start_s", "end_s"});
}

Json rate_schedule_schema() {
  const auto step = closed_object(
      {{"at_s", described(time_s(), "from the start of training, ascending, the first at 0")},
       {"rate_mbit", rate()}},
      {"at_s", "rate_mbit"});
  const auto steps = closed_object(
      {{"steps", {{"type", "array"}, {"items", step}, {"minItems", 1}, {"maxItems", kMostSteps}}},
       {"repeat_s", described(time_s(), "the steps begin again after so long; 0: never")}},
      {"steps"});
  const auto trace = closed_object(
      {{"trace", described({{"type", "string"}, {"minLength", 1}},
                           "file in Mahimahi's format, relative to the scenario's folder")},
       {"interval_ms", described(with_default(integer(10, 60000), 100), "averaged over so long")}},
      {"trace"});
  return described({{"oneOf", {steps, trace}}}, "how the rate of both directions changes");
}

std::vector<std::string> topology_names() {
  std::vector<std::string> names;
  for (const auto& topology : topologies()) names.emplace_back(topology.name);
  return names;
}

Json groups_schema() {
  return described({{"type", "array"}, {"items", integer(1, 128)}},
                   "workers on each switch, in the order of ranks; chain3: by default thirds; "
                   "required for groups");
}

Json link_schema() {
  auto properties = shape_properties();
  properties["topology"] = described(one_of(topology_names()), "by default the network's");
  properties["groups"] = groups_schema();
  properties["name"] = {{"type", "string"}, {"pattern", kFolderName}};
  properties["edge_mbit"] =
      described(with_default(rate(), LinkProfile{}.edge_mbit), "chain3, groups: workers' links");
  properties["overrides"] = {{"type", "array"}, {"items", override_schema()}};
  properties["schedule"] = rate_schedule_schema();
  properties["load"] = described({{"type", "array"}, {"items", load_schema()}},
                                 "TCP flows that compete with the training");
  auto link = closed_object(properties, {"name"});
  link["anyOf"] = {{{"required", {"rate_mbit"}}},
                   {{"required", {"up_mbit", "down_mbit"}}},
                   {{"required", {"schedule"}}}};
  return link;
}

}  // namespace

Json network_schema() {
  const Network defaults;
  return closed_object(
      {{"topology", with_default(one_of(topology_names()), defaults.topology)},
       {"groups", groups_schema()},
       {"mtu", with_default(integer(576, 65535), defaults.mtu)},
       {"rate_accounting",
        described(with_default(one_of({"l2", "wire"}), defaults.rate_accounting),
                  "what the rate counts: frames as tc sees them, or also preamble and gap")},
       {"congestion_control",
        with_default(one_of({"cubic", "reno", "bbr"}), defaults.congestion_control)},
       {"links", described(list_of(link_schema()), "link profiles; every method runs over each")}},
      {"links"});
}

}  // namespace pacbench
