#include "base/json/object_schema.h"
#include "contract/scenario/scenario.h"
#include "contract/scenario/scenario_checks.h"

namespace pacbench {
namespace {

using namespace schema;

Json targets_schema() {
  auto targets = closed_object(
      {{kAccuracy, described(list_of(ratio()),
                             "test accuracies; a target is reached at this accuracy or more")},
       {kOfAllReduce, described(list_of(ratio()),
                                "accuracies as shares of all-reduce's own final accuracy (median "
                                "of its seeds), known when the run has ended")},
       {kLoss,
        described(list_of(positive_number()),
                  "test losses (cross-entropy in nats); a target is reached at this loss or less")},
       {kLossOfAllReduce, described(list_of(ratio()),
                                    "test losses that all-reduce itself has after these shares of "
                                    "max_iterations (medians of its seeds), known when the run has "
                                    "ended")}},
      {});
  targets["minProperties"] = 1;
  return described(targets,
                   "test accuracies and test losses; the time until each is reached is measured");
}

}  // namespace

Json scenario_schema(const Catalogue& catalogue) {
  const auto program = object_schema<Program>({{"folder", text()}});
  const auto backends = one_of(Bounds{JsonFields<Scenario>::kBackends}.allowed());
  auto schema = object_schema<Scenario>({{"backend", backends}});
  schema["properties"].update(
      {{"version", {{"const", Scenario::kVersion}}},
       {"network",
        described(network_schema(), "required in all modes but learn, which ignores it")},
       {"compose",
        described(object_schema<Compose>({{"profile", {{"type", {"string", "object"}}}}}),
                  "required in modes compose and simulate, ignored elsewhere")},
       {"simulate", described(object_schema<Simulate>(),
                              "the model of links of mode simulate, ignored elsewhere")},
       {"workload", {{"anyOf", {workload_schema(catalogue), program}}}},
       {"program", described(program,
                             "the program that methods named \"program\" run, beside methods of "
                             "pacbench's own worker")},
       {"methods", methods_schema(catalogue)},
       {"tune", described(object_schema<Tune>({{"seeds", seeds_schema()}}),
                          "chooses the options and learning rates of all methods before they are "
                          "measured, with the same number of trainings for each (mode learn; "
                          "programs train over the first link)")},
       {"targets", targets_schema()},
       {"seeds", seeds_schema()}});
  schema["required"] = {"version", "name", "workload", "methods", "seeds"};
  for (const auto& word : all_words<Mode>()) {
    const auto mode = from_word<Mode>(word);
    const auto traits = mode_traits(mode);
    std::vector<std::string> required;
    if (mode != Mode::kEmulate) required.emplace_back("mode");  // the default
    if (traits.has_network) required.emplace_back("network");
    if (!traits.trains) required.emplace_back("compose");
    schema["anyOf"].push_back(
        {{"properties", {{"mode", {{"const", word}}}}}, {"required", required}});
  }
  // Backend nccl needs device cuda; share_gpus needs device cuda or auto.
  const Json on_gpus{{"properties", {{"device", {{"const", "cuda"}}}}}, {"required", {"device"}}};
  const Json maybe_on_gpus{{"properties", {{"device", one_of({"cuda", "auto"})}}},
                           {"required", {"device"}}};
  const Json over_gloo{{"properties", {{"backend", {{"const", "gloo"}}}}}};
  const Json not_shared{{"properties", {{"share_gpus", {{"const", false}}}}}};
  schema["allOf"] =
      Json::array({{{"anyOf", {on_gpus, over_gloo}}}, {{"anyOf", {maybe_on_gpus, not_shared}}}});
  schema["$schema"] = schema::kDraft;
  schema["title"] = "pacbench scenario";
  return schema;
}

}  // namespace pacbench
