#include "spec/scenario.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/sha256.h"
#include "spec/decisions.h"
#include "spec/folder_name.h"
#include "spec/inner_methods.h"
#include "spec/presets.h"
#include "spec/seeds.h"
#include "spec/targets_reader.h"
#include "spec/topology.h"
#include "spec/tuning_rules.h"
#include "spec/workload_json.h"
#include "spec/workload_reader.h"

namespace pacbench {
namespace {

const Range kEvery{0.0, 1e9, false};

/// What the parts of a workload ask of each other.
void check_workload(const Scenario& scenario, const Catalogue& catalogue,
                    std::vector<Issue>& issues) {
  const auto* dataset = catalogue.find_dataset(scenario.workload.dataset.name);
  const auto* before = catalogue.find_dataset(scenario.workload.initial.dataset.name);
  const auto* model = catalogue.find_model(scenario.workload.model.name);
  if (dataset == nullptr) return;
  if (const auto reason = model == nullptr ? "" : misfit(*model, *dataset); !reason.empty()) {
    issues.push_back({"/workload/model/name", reason});
  }
  const auto batch = scenario.workload.batch_per_worker * scenario.workers;
  const auto held_out = scenario.workload.validation_samples;
  const auto trained = dataset->train_samples - held_out;
  if (held_out > 0 && trained < batch) {
    issues.push_back({"/workload/validation_samples",
                      fmt::format("found {}, which leaves {} samples of {} to train on, but {} "
                                  "workers take {} an iteration",
                                  held_out, std::max<std::int64_t>(trained, 0), dataset->name,
                                  scenario.workers, batch)});
  } else if (batch > trained) {
    issues.push_back({"/workload/batch_per_worker",
                      fmt::format("{} workers take {} samples an iteration, but {} has {} to train "
                                  "on",
                                  scenario.workers, batch, dataset->name, trained)});
  }
  if (held_out > 0 && scenario.workload.evaluate_samples > held_out) {
    issues.push_back(
        {"/workload/evaluate_samples", fmt::format("found {}, but validation_samples are {}",
                                                   scenario.workload.evaluate_samples, held_out)});
  }
  if (scenario.workload.evaluate_samples > dataset->test_samples) {
    issues.push_back(
        {"/workload/evaluate_samples",
         fmt::format("found {}, but {} has {} to test on", scenario.workload.evaluate_samples,
                     dataset->name, dataset->test_samples)});
  }
  if (before != nullptr &&
      (before->shape != dataset->shape || before->classes != dataset->classes)) {
    issues.push_back({"/workload/initial/dataset/name",
                      fmt::format("\"{}\" has other images or classes than \"{}\": weights trained "
                                  "on it do not fit",
                                  before->name, dataset->name)});
  }
}

/// The first of a method and those inside of it that is for other models; null where none is.
const MethodInfo* for_other_models(const Choice& choice, const ModelInfo& model,
                                   const Catalogue& catalogue) {
  const auto* method = catalogue.find_method(choice.name);
  if (method == nullptr) return nullptr;
  if (!method->input.empty() && method->input != model.input) return method;
  for (const auto& inner : inner_methods(*method, choice.options)) {
    const auto* inside = catalogue.find_method(inner.value("name", ""));
    if (inside != nullptr && !inside->input.empty() && inside->input != model.input) return inside;
  }
  return nullptr;
}

/// A method that only some models have something for would do elsewhere what all-reduce does.
void check_methods(const Scenario& scenario, const Catalogue& catalogue,
                   std::vector<Issue>& issues) {
  const auto* model = catalogue.find_model(scenario.workload.model.name);
  if (model == nullptr) return;
  for (std::size_t i = 0; i < scenario.methods.size(); ++i) {
    const auto* method = for_other_models(scenario.methods[i].choice, *model, catalogue);
    for (const auto& setting : scenario.methods[i].settings) {
      if (method == nullptr) method = for_other_models(setting, *model, catalogue);
    }
    if (method == nullptr) continue;
    issues.push_back(
        {fmt::format("/methods/{}/name", i),
         fmt::format("found \"{}\", a method for models of {}, but \"{}\" is a model "
                     "of {}; expected another method, or a model of {}",
                     method->name, method->input, model->name, model->input, method->input)});
  }
}

/// "a" over "b-c" and "a-b" over "c" would write into one folder.
void check_folder_names(const Scenario& scenario, std::vector<Issue>& issues) {
  std::set<std::string> names;
  for (std::size_t i = 0; i < scenario.methods.size(); ++i) {
    for (const auto& link : link_profiles(scenario)) {
      const auto name = scenario.methods[i].label + "-" + link.name;
      if (names.insert(name).second) continue;
      issues.push_back({fmt::format("/methods/{}/label", i),
                        fmt::format("label and link together name a folder, and \"{}\" would name "
                                    "two; give this method a \"label\" of its own",
                                    name)});
    }
  }
}

/// Device and what carries collectives from it.
void read_devices(ObjectReader& reader, Scenario& scenario) {
  scenario.device = reader.choice_or("device", scenario.device, {"cpu", "cuda", "auto"});
  const bool open = scenario.device == "auto";
  if (open) scenario.backend = "auto";
  scenario.backend = reader.choice_or("backend", scenario.backend, {"gloo", "nccl"});
  scenario.share_gpus = reader.boolean_or("share_gpus", scenario.share_gpus);
  if (uses_gpus(scenario)) return;
  if (scenario.backend == "nccl") {
    reader.complain("backend",
                    open ? "found \"nccl\" with device \"auto\", expected \"gloo\" or no backend: "
                           "auto takes NCCL by itself where there are GPUs and NCCL"
                         : "found \"nccl\" with device \"cpu\", expected \"gloo\", or device "
                           "\"cuda\": NCCL knows only memory of GPUs");
  }
  if (scenario.share_gpus && !open) {
    reader.complain("share_gpus",
                    "found true with device \"cpu\", expected false, or device \"cuda\" or "
                    "\"auto\"");
  }
}

std::vector<SlowWorker> read_slow_workers(ObjectReader& scenario, int workers) {
  std::vector<SlowWorker> slow;
  if (!scenario.has("slow_workers")) return slow;
  std::set<int> seen;
  for (auto& reader : scenario.objects("slow_workers")) {
    const SlowWorker entry{static_cast<int>(reader.integer("worker", {0.0, workers - 1.0, false})),
                           reader.number("compute_factor", {1.0, 1000.0, false})};
    if (reader.has("worker") && !seen.insert(entry.worker).second) {
      reader.complain("worker", fmt::format("worker {} stands there twice", entry.worker));
    }
    reader.finish();
    slow.push_back(entry);
  }
  return slow;
}

Json slow_workers_to_json(const std::vector<SlowWorker>& slow) {
  Json node = Json::array();
  for (const auto& entry : slow) {
    node.push_back({{"worker", entry.worker}, {"compute_factor", entry.compute_factor}});
  }
  return node;
}

/// A profile tells nothing of another workload.
void check_profile(ObjectReader& reader, const char* what, const Json& found,
                   const Json& expected) {
  if (found == expected) return;
  reader.complain("compose", fmt::format("found a profile of {} {}, expected one of the workload's "
                                         "{}: make it with pacbench profile SCENARIO",
                                         what, found.dump(), expected.dump()));
}

void read_composed(ObjectReader& reader, const std::string& source, Scenario& scenario) {
  if (!is_compose(scenario)) {
    if (reader.has("compose")) check_unused_compose(reader.object("compose"));
    reader.raw("compose");
    return;
  }
  scenario.compose = read_compose(reader.object("compose"), source);
  if (scenario.quality_every != 0) {
    reader.complain("quality_every", fmt::format("found {}, expected 0: mode compose has no "
                                                 "gradients of a model to compare",
                                                 scenario.quality_every));
  }
  const auto& profile = scenario.compose->profile;
  if (profile.buckets.empty()) return;
  const auto& workload = scenario.workload;
  check_profile(reader, "the model", profile.model, choice_to_json(workload.model));
  check_profile(reader, "the data set", profile.dataset, choice_to_json(workload.dataset));
  check_profile(reader, "a batch of", profile.batch_per_worker, workload.batch_per_worker);
}

/// Whoever gives a file that pacbench wrote mistook the file; its keys are not worth naming.
void refuse_what_pacbench_wrote(const std::string& source, const Json& document) {
  if (!document.is_object() || document.contains("version")) return;
  const auto format = document.find("format");
  if (format == document.end() || !format->is_string()) return;
  throw ConfigError{source,
                    {{"/format", fmt::format("found a {} file, expected a scenario, which has no "
                                             "\"format\"",
                                             format->get<std::string>())}}};
}

}  // namespace

std::vector<LinkProfile> link_profiles(const Scenario& scenario) {
  if (is_learn(scenario)) return {{"none", 0}};
  return scenario.network.links;
}

double compute_factor(const Scenario& scenario, int worker) {
  for (const auto& slow : scenario.slow_workers) {
    if (slow.worker == worker) return slow.compute_factor;
  }
  return 1;
}

Scenario scenario_from_json(const std::string& source, const Json& document,
                            const Catalogue& catalogue) {
  refuse_what_pacbench_wrote(source, document);
  std::vector<Issue> issues;
  const auto expanded = with_presets(document, catalogue);
  ObjectReader reader{expanded, "", issues};
  Scenario scenario;
  const auto version = reader.integer("version", Range::at_least(1));
  if (reader.has("version") && version != Scenario::kVersion) {
    reader.complain("version", fmt::format("found {}, expected {}", version, Scenario::kVersion));
  }
  scenario.name = reader.text("name");
  require_folder_name(reader, "name", scenario.name);
  scenario.mode = reader.choice_or("mode", scenario.mode, {"emulate", "learn", "compose"});
  scenario.workers = static_cast<int>(reader.integer_or("workers", 8, {2.0, 128.0, false}));
  read_devices(reader, scenario);
  scenario.timeout_s = reader.number_or("timeout_s", scenario.timeout_s, {1.0, 86400.0, false});
  scenario.quality_every = reader.integer_or("quality_every", 0, kEvery);
  scenario.checkpoint_every =
      reader.integer_or("checkpoint_every", scenario.checkpoint_every, kEvery);
  if (!is_learn(scenario) || reader.has("network")) {
    scenario.network = read_network(reader.object("network"), scenario.workers, source);
  }
  reader.raw("network");
  scenario.slow_workers = read_slow_workers(reader, scenario.workers);
  scenario.workload = read_workload(reader.object("workload"), catalogue, source);
  read_composed(reader, source, scenario);
  scenario.methods = read_methods(reader, catalogue);
  if (reader.has("tune")) {
    scenario.tune = read_tune(reader.object("tune"), scenario.workload.max_iterations,
                              scenario.workload.evaluate_every);
  }
  reader.raw("tune");
  read_targets(reader, scenario);
  scenario.seeds = read_seeds(reader);
  reader.finish();
  check_workload(scenario, catalogue, issues);
  check_methods(scenario, catalogue, issues);
  check_tuning(scenario, catalogue, issues);
  // Of names and links that are wrong by themselves nothing more need be said.
  if (issues.empty()) {
    check_folder_names(scenario, issues);
    check_decisions(scenario, catalogue, issues);
    check_exchanges(scenario, issues);
    const auto refused = fabric_issues(scenario);
    issues.insert(issues.end(), refused.begin(), refused.end());
  }
  if (!issues.empty()) throw ConfigError{source, issues};
  return scenario;
}

Workload workload_of(const Scenario& scenario, const MethodEntry& method) {
  auto workload = scenario.workload;
  if (method.lr) workload.optimizer.lr = *method.lr;
  return workload;
}

Json to_json(const Scenario& scenario) {
  Json methods = Json::array();
  for (const auto& method : scenario.methods) methods.push_back(to_json(method));
  Json node{{"version", Scenario::kVersion},
            {"name", scenario.name},
            {"mode", scenario.mode},
            {"workers", scenario.workers},
            {"device", scenario.device},
            {"timeout_s", scenario.timeout_s},
            {"quality_every", scenario.quality_every},
            {"checkpoint_every", scenario.checkpoint_every},
            {"workload", workload_to_json(scenario.workload)},
            {"methods", methods},
            {"targets", to_json(scenario.targets)},
            {"seeds", scenario.seeds}};
  if (!scenario.target_shares.empty()) node["targets"][kOfAllReduce] = scenario.target_shares;
  if (!scenario.loss_shares.empty()) node["targets"][kLossOfAllReduce] = scenario.loss_shares;
  if (scenario.tune) node["tune"] = to_json(*scenario.tune);
  if (scenario.compose) node["compose"] = to_json(*scenario.compose);
  if (is_learn(scenario)) return node;
  node["network"] = to_json(scenario.network);
  if (scenario.device != "cpu") {
    if (scenario.backend != "auto") node["backend"] = scenario.backend;
    node["share_gpus"] = scenario.share_gpus;
  }
  if (!scenario.slow_workers.empty()) {
    node["slow_workers"] = slow_workers_to_json(scenario.slow_workers);
  }
  return node;
}

Json compared_part(Json canonical) {
  for (const char* key : {"name", "seeds", "methods", "tune", "targets", "timeout_s",
                          "quality_every", "checkpoint_every"}) {
    canonical.erase(key);
  }
  // Where a file lies is no matter; what is in it is told by its hash.
  const Json::json_pointer initial{"/workload/initial"};
  if (canonical.contains(initial)) canonical.at(initial).erase("path");
  if (canonical.contains("compose")) canonical["compose"].erase("curve");
  return canonical;
}

std::string comparison_hash(const Scenario& scenario) {
  return sha256(compared_part(to_json(scenario)).dump());
}

Json asked_part(Json canonical) {
  if (!canonical.contains("targets")) return canonical;
  auto& targets = canonical["targets"];
  if (targets.contains(kOfAllReduce)) targets.erase(kAccuracy);
  if (targets.contains(kLossOfAllReduce)) targets.erase(kLoss);
  return canonical;
}

std::string scenario_hash(const Scenario& scenario) {
  return sha256(asked_part(to_json(scenario)).dump());
}

}  // namespace pacbench
