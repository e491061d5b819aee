#include "spec/choice_schema.h"
#include "spec/folder_name.h"
#include "spec/scenario.h"
#include "spec/schema_parts.h"

namespace pacbench {
namespace {

using namespace schema;

Json schedule_schema() {
  const auto constant = closed_object({{"kind", {{"const", "constant"}}}}, {"kind"});
  const auto cosine = closed_object(
      {{"kind", described({{"const", "cosine"}}, "from lr to 0 at max_iterations")}}, {"kind"});
  const auto step =
      closed_object({{"kind", {{"const", "step"}}},
                     {"milestones", described({{"type", "array"}, {"items", integer_from(1)}},
                                              "iterations after which lr is multiplied by gamma")},
                     {"gamma", with_default(ratio(), Schedule{}.gamma)}},
                    {"kind", "milestones"});
  return {{"oneOf", {constant, step, cosine}}, {"default", {{"kind", "constant"}}}};
}

Json optimizer_schema() {
  const Optimizer defaults;
  const auto kind = [](const std::vector<std::string>& names, Json own) {
    own.update({{"name", one_of(names)},
                {"lr", positive_number()},
                {"weight_decay", with_default({{"type", "number"}, {"minimum", 0}}, 0)},
                {"schedule", schedule_schema()}});
    return closed_object(own, {"name", "lr"});
  };
  const auto share = [](double value) {
    return with_default({{"type", "number"}, {"minimum", 0}, {"maximum", 0.9999}}, value);
  };
  const auto sgd =
      kind({"sgd"},
           {{"momentum", with_default({{"type", "number"}, {"minimum", 0}, {"maximum", 1}}, 0)}});
  const auto adam = kind({"adam", "adamw"}, {{"beta1", share(defaults.beta1)},
                                             {"beta2", share(defaults.beta2)},
                                             {"eps", with_default(positive_number(), 1e-8)}});
  const auto lion = kind({"lion"}, {{"beta1", share(defaults.beta1)}, {"beta2", share(0.99)}});
  return {{"oneOf", {sgd, adam, lion}}};
}

Json initial_schema(const Catalogue& catalogue) {
  const Initial defaults;
  const auto random = closed_object({{"kind", {{"const", "random"}}}}, {"kind"});
  const auto pretrain =
      closed_object({{"kind", {{"const", "pretrain"}}},
                     {"dataset", choice_schema(catalogue.datasets)},
                     {"iterations", with_default(integer_from(1), defaults.iterations)},
                     {"batch", with_default(integer_from(1), defaults.batch)},
                     {"lr", with_default(positive_number(), defaults.lr)}},
                    {"kind", "dataset"});
  const auto file = closed_object(
      {{"kind", {{"const", "file"}}},
       {"path", described({{"type", "string"}},
                          "a state_dict as torch.save (zip) or safetensors writes it; relative to "
                          "the scenario's folder")},
       {"sha256", described({{"type", "string"}}, "of the file; refused when it has another")}},
      {"kind", "path"});
  return described({{"oneOf", {random, pretrain, file}}, {"default", {{"kind", "random"}}}},
                   "weights before the training clock starts, shared by all methods");
}

Json workload_schema(const Catalogue& catalogue) {
  return closed_object(
      {{"model", choice_schema(catalogue.models)},
       {"dataset", choice_schema(catalogue.datasets)},
       {"batch_per_worker", integer(1, 65536)},
       {"optimizer", optimizer_schema()},
       {"initial", initial_schema(catalogue)},
       {"max_iterations", integer(1, 1000000000)},
       {"evaluate_every", described(integer(1, 1000000000), "iterations, off the training clock")},
       {"evaluate_samples",
        described(with_default(integer_from(0), 0),
                  "of the test set, the same ones for every method and seed; 0: all of it")},
       {"validation_samples",
        described(with_default(integer_from(0), 0),
                  "so many of the training set, the same ones for every method and seed, are not "
                  "trained on and are evaluated in place of the test set: for choosing options; 0: "
                  "none")},
       {"stop", described(with_default(one_of({"iterations", "targets"}), Workload{}.stop),
                          "iterations: all cells run to max_iterations; targets: a cell ends "
                          "when the last target is reached")}},
      {"model", "dataset", "batch_per_worker", "optimizer", "max_iterations", "evaluate_every"});
}

}  // namespace

Json scenario_schema(const Catalogue& catalogue) {
  const Scenario defaults;
  auto targets = closed_object(
      {{kAccuracy, described(list_of(ratio()), "reached at so much or more")},
       {kOfAllReduce, described(list_of(ratio()),
                                "accuracies as shares of all-reduce's own final one, the median of "
                                "its seeds, which a run knows at its end")},
       {kLoss, described(list_of(positive_number()),
                         "cross-entropy in nats, reached at so much or "
                         "less")},
       {kLossOfAllReduce, described(list_of(ratio()),
                                    "losses of all-reduce after these shares of its iterations, "
                                    "the medians of its seeds, which a run knows at its end")}},
      {});
  targets["minProperties"] = 1;
  const auto slow_worker = closed_object(
      {{"worker", integer(0, 127)},
       {"compute_factor", described({{"type", "number"}, {"minimum", 1}, {"maximum", 1000}},
                                    "how many times as long forward and backward take")}},
      {"worker", "compute_factor"});
  auto schema = closed_object(
      {{"version", {{"const", Scenario::kVersion}}},
       {"name", {{"type", "string"}, {"pattern", kFolderName}}},
       {"mode", described(with_default(one_of({"emulate", "learn", "compose"}), defaults.mode),
                          "emulate: processes over shaped links; learn: learning curves alone, "
                          "all ranks in one process, no network; compose: what methods exchange "
                          "over shaped links, computing slept through as a profile says")},
       {"workers", with_default(integer(2, 128), defaults.workers)},
       {"device", described(with_default(one_of({"cpu", "cuda", "auto"}), defaults.device),
                            "where workers compute; cuda: rank r on GPU r, in mode learn all on "
                            "the first; auto: cuda where this machine has the GPUs for that, else "
                            "cpu")},
       {"backend", described(with_default(one_of({"gloo", "nccl"}), defaults.backend),
                             "what carries collectives: gloo, from memory of the host; nccl, from "
                             "GPUs, device cuda only; with device auto and no backend, nccl where "
                             "it can be used")},
       {"share_gpus",
        described(with_default({{"type", "boolean"}}, defaults.share_gpus),
                  "with fewer GPUs than workers, rank r computes on GPU r modulo their number; "
                  "devices cuda and auto only")},
       {"timeout_s",
        described(with_default({{"type", "number"}, {"minimum", 1}, {"maximum", 86400}},
                               defaults.timeout_s),
                  "a cell in which no worker reports for so long has failed")},
       {"quality_every",
        described(with_default(integer(0, 1000000000), defaults.quality_every),
                  "iterations between comparisons of the aggregated gradient with the exact mean, "
                  "off the training clock; 0: never")},
       {"checkpoint_every",
        described(with_default(integer(0, 1000000000), defaults.checkpoint_every),
                  "mode learn: iterations between states from which a broken off cell goes on; 0: "
                  "never")},
       {"slow_workers",
        described({{"type", "array"}, {"items", slow_worker}},
                  "workers that compute more slowly than the others; modes emulate and compose")},
       {"network",
        described(network_schema(), "required in modes emulate and compose, ignored in learn")},
       {"compose", described(compose_schema(), "required in mode compose, ignored elsewhere")},
       {"workload", workload_schema(catalogue)},
       {"methods", methods_schema(catalogue)},
       {"tune", tune_schema()},
       {"targets",
        described(targets, "test accuracies and test losses to which times are measured")},
       {"seeds", list_of(integer(0, 4294967295))}},
      {"version", "name", "workload", "methods", "targets", "seeds"});
  const Json learn{{"properties", {{"mode", {{"const", "learn"}}}}}, {"required", {"mode"}}};
  const Json emulate{{"properties", {{"mode", {{"const", "emulate"}}}}}, {"required", {"network"}}};
  const Json compose{{"properties", {{"mode", {{"const", "compose"}}}}},
                     {"required", {"mode", "network", "compose"}}};
  schema["anyOf"] = {learn, emulate, compose};
  // NCCL on GPUs alone, and GPUs are shared where there may be some.
  const Json on_gpus{{"properties", {{"device", {{"const", "cuda"}}}}}, {"required", {"device"}}};
  const Json maybe_on_gpus{{"properties", {{"device", one_of({"cuda", "auto"})}}},
                           {"required", {"device"}}};
  const Json over_gloo{{"properties", {{"backend", {{"const", "gloo"}}}}}};
  const Json not_shared{{"properties", {{"share_gpus", {{"const", false}}}}}};
  schema["allOf"] =
      Json::array({{{"anyOf", {on_gpus, over_gloo}}}, {{"anyOf", {maybe_on_gpus, not_shared}}}});
  schema["$schema"] = "http://json-schema.org/draft-07/schema#";
  schema["title"] = "pacbench scenario";
  return schema;
}

}  // namespace pacbench
