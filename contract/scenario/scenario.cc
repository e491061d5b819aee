#include "contract/scenario/scenario.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/json/read_keys.h"
#include "contract/catalogue/choice_json.h"
#include "contract/catalogue/method_entry.h"
#include "contract/scenario/fabric_request.h"
#include "contract/scenario/scenario_checks.h"

namespace pacbench {
namespace {

/// Complains of two cells whose label and link give the same folder name, as "a" over "b-c" and
/// "a-b" over "c" do.
void check_folder_names(const Scenario& scenario, std::vector<Issue>& issues) {
  std::set<std::string> names;
  for (std::size_t i = 0; i < scenario.methods.size(); ++i) {
    for (const auto& link : link_profiles(scenario)) {
      const auto name = scenario.methods[i].label + "-" + link.name;
      if (names.insert(name).second) continue;
      issues.push_back(
          {fmt::format("/methods/{}/label", i),
           fmt::format("label and link together name a cell's folder, and two cells would have the "
                       "folder \"{}\"; give this method a \"label\" of its own",
                       name)});
    }
  }
}

/// Reads the backend of collectives: Gloo from host memory, NCCL from GPUs.
void read_backend(ObjectReader& reader, Scenario& scenario) {
  const bool open = scenario.device == "auto";
  if (open) scenario.backend = "auto";
  scenario.backend = reader.choice_or("backend", scenario.backend,
                                      Bounds{JsonFields<Scenario>::kBackends}.allowed());
  if (uses_gpus(scenario)) return;
  if (scenario.backend == "nccl") {
    reader.complain("backend",
                    open ? "found \"nccl\" with device \"auto\", expected \"gloo\" or no backend: "
                           "auto chooses NCCL itself where there are GPUs and NCCL"
                         : "found \"nccl\" with device \"cpu\", expected \"gloo\", or device "
                           "\"cuda\": NCCL exchanges only the memory of GPUs");
  }
  if (scenario.share_gpus && !open) {
    reader.complain("share_gpus",
                    "found true with device \"cpu\", expected false, or device \"cuda\" or "
                    "\"auto\"");
  }
}

void check_slow_workers(ObjectReader& reader, const Scenario& scenario) {
  std::set<int> seen;
  for (std::size_t i = 0; i < scenario.slow_workers.size(); ++i) {
    const int worker = scenario.slow_workers[i].worker;
    const auto pointer = fmt::format("slow_workers/{}/worker", i);
    if (worker >= scenario.workers) {
      reader.complain_at(pointer, fmt::format("found {}, expected a number in [0, {}]", worker,
                                              scenario.workers - 1));
    } else if (!seen.insert(worker).second) {
      reader.complain_at(pointer, fmt::format("found worker {} twice, expected it once", worker));
    }
    const double delay_s = scenario.slow_workers[i].traits.start_delay_s;
    if (delay_s >= scenario.timeout_s) {
      reader.complain_at(fmt::format("slow_workers/{}/start_delay_s", i),
                         fmt::format("found {:g}, expected less than timeout_s ({:g}), for which "
                                     "the others wait",
                                     delay_s, scenario.timeout_s));
    }
  }
}

void check_workers(ObjectReader& reader, const Scenario& scenario) {
  const int most = mode_traits(scenario.mode).most_workers;
  if (scenario.workers <= most) return;
  reader.complain(
      "workers",
      fmt::format("found {}, expected at most {} in mode {}: only mode simulate allows more",
                  scenario.workers, most, word_of(scenario.mode)));
}

void check_profile(ObjectReader& reader, const char* what, const Json& found,
                   const Json& expected) {
  if (found == expected) return;
  reader.complain("compose",
                  fmt::format("found a profile of {} {}, but the workload has {}: make "
                              "a profile of this workload with pacbench profile SCENARIO",
                              what, found.dump(), expected.dump()));
}

void read_model_of_links(ObjectReader& reader, Scenario& scenario) {
  Simulate simulate;
  if (reader.has("simulate")) simulate = read_object<Simulate>(reader.object("simulate"));
  if (!runs_workers(scenario)) scenario.simulate = simulate;
}

void read_composed(ObjectReader& reader, const std::string& source, Scenario& scenario) {
  read_model_of_links(reader, scenario);
  if (trains(scenario)) {
    if (reader.has("compose")) check_unused_compose(reader.object("compose"));
    return;
  }
  scenario.compose = read_compose(reader.object("compose"), source);
  if (scenario.quality_every != 0) {
    reader.complain("quality_every", fmt::format("found {}, expected 0: mode {} has no "
                                                 "gradients of a model to compare",
                                                 scenario.quality_every, word_of(scenario.mode)));
  }
  const bool extrapolates = scenario.compose->cell_s > 0 || !scenario.compose->curve.empty();
  for (std::size_t i = 0; extrapolates && i < scenario.slow_workers.size(); ++i) {
    if (scenario.slow_workers[i].traits.start_delay_s == 0) continue;
    reader.complain_at(fmt::format("slow_workers/{}/start_delay_s", i),
                       "found a delay beside compose.curve or compose.cell_s, expected none: other "
                       "iterations follow from the measured ones, and the delay comes once");
  }
  const auto& profile = scenario.compose->profile;
  if (profile.buckets.empty()) return;
  const auto& workload = scenario.workload;
  check_profile(reader, "the model", profile.model, choice_to_json(workload.model));
  check_profile(reader, "the data set", profile.dataset, choice_to_json(workload.dataset));
  check_profile(reader, "a batch of", profile.batch_per_worker, workload.batch_per_worker);
}

void refuse(ObjectReader& reader, bool is_wrong, const char* key, const char* message) {
  if (is_wrong) reader.complain(key, message);
}

/// Refuses settings of a scenario that a program of the user's own cannot follow, whether it runs
/// alone or beside pacbench's worker.
void check_program(ObjectReader& reader, const Scenario& scenario) {
  refuse(reader, !trains(scenario) || !has_network(scenario), "mode",
         "found another mode than \"emulate\" beside a program, expected \"emulate\": pacbench "
         "can neither train a program without links nor replay its exchanges");
  refuse(reader, scenario.quality_every != 0, "quality_every",
         "found a number above 0 beside a program, expected 0: pacbench does not see a program's "
         "gradients");
  refuse(reader, !scenario.slow_workers.empty(), "slow_workers",
         "found slow workers beside a program, expected none: a program cannot be slowed down");
}

void check_program_alone(ObjectReader& reader, const Scenario& scenario) {
  refuse(reader, reader.has("program"), "program",
         "found a program beside workload.command, expected one of the two: workload.command for "
         "programs alone, \"program\" for programs beside pacbench's own worker");
  refuse(reader, scenario.device != "cpu", "device",
         "found a device beside workload.command, expected none: a program chooses its device "
         "itself, by LOCAL_RANK");
  refuse(reader, has_shares(scenario), "targets",
         "found shares of all-reduce's results beside workload.command, expected accuracies or "
         "losses");
  if (!scenario.tune) return;
  refuse(reader, scenario.targets.empty(), "targets",
         "missing beside \"tune\", expected accuracies or losses: tuning compares what the program "
         "reports of these");
  refuse(reader, scenario.tune->max_iterations > 0 || scenario.tune->evaluate_every > 0, "tune",
         "found max_iterations or evaluate_every beside workload.command, expected neither: a "
         "program decides itself how long it trains");
}

/// Reads "program": the user's own program, in a scenario whose other methods pacbench's own worker
/// runs. The cells of all methods run one after another.
void read_program_beside(ObjectReader& reader, const std::string& source, Scenario& scenario) {
  const auto programs = std::count_if(scenario.methods.begin(), scenario.methods.end(), is_program);
  if (!reader.has("program")) {
    if (programs > 0) {
      reader.complain(
          "program",
          "found no program, expected {\"command\": […]}, because the scenario has a method "
          "\"program\"");
    }
    return;
  }
  scenario.program = read_program(reader.object("program"), source);
  if (programs == 0) {
    reader.complain("program",
                    "found a program, but no method is named \"program\"; add such a method, or "
                    "leave this out");
  }
  check_program(reader, scenario);
}

/// Reads the workload, the methods, and the keys that depend on these, for a scenario that does not
/// run programs alone.
void read_work(ObjectReader& reader, const std::string& source, const Catalogue& catalogue,
               Scenario& scenario) {
  scenario.workload = read_workload(reader.object("workload"), catalogue, source);
  read_composed(reader, source, scenario);
  scenario.methods = read_methods(reader, catalogue);
  read_program_beside(reader, source, scenario);
  if (reader.has("tune")) {
    scenario.tune = read_tune(reader.object("tune"), scenario.workload.max_iterations,
                              scenario.workload.evaluate_every);
  }
  read_targets(reader, scenario);
  read_users_classes(reader, source, scenario);
}

/// Whether a scenario is meant to run only the user's own programs, and not pacbench's worker. The
/// key of the command may be mistyped: then the methods tell.
bool means_program_alone(const Json& scenario) {
  if (is_program_alone(scenario)) return true;
  const auto methods = scenario.is_object() ? scenario.value("methods", Json{}) : Json{};
  return methods.is_array() && !methods.empty() &&
         std::all_of(methods.begin(), methods.end(), [](const Json& method) {
           return method.is_object() && method.value("name", Json{}) == kProgramMethod;
         });
}

void read_program_work(ObjectReader& reader, const std::string& source, Scenario& scenario) {
  scenario.program = read_program(reader.object("workload"), source);
  scenario.methods = read_program_methods(reader);
  // A program that reports neither accuracy nor loss has no target to reach. The canonical form
  // then has an empty object.
  if (reader.has("targets") && !reader.raw("targets").empty()) read_targets(reader, scenario);
  if (reader.has("tune")) scenario.tune = read_tune(reader.object("tune"), 0, 0);
  check_program(reader, scenario);
  check_program_alone(reader, scenario);
  reader.raw("compose");
  reader.raw("simulate");
}

/// Refuses a file whose "format" says that pacbench wrote it. It is the wrong file, and a list of
/// its unknown keys would not help.
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
  if (!has_network(scenario)) return {{"none", 0}};
  return scenario.network.links;
}

bool is_program_alone(const Scenario& scenario) {
  return scenario.program &&
         std::all_of(scenario.methods.begin(), scenario.methods.end(), is_program);
}

WorkerTraits worker_traits(const Scenario& scenario, int worker) {
  WorkerTraits traits;
  for (const auto& slow : scenario.slow_workers) {
    if (slow.worker == worker) traits = slow.traits;
  }
  traits.compute_factor /= scenario.worker_speed.times;
  return traits;
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
  read_keys(reader, scenario);
  // A simulation uses no GPU.
  if (!runs_workers(scenario) && scenario.device == "auto") scenario.device = "cpu";
  read_backend(reader, scenario);
  check_workers(reader, scenario);
  check_slow_workers(reader, scenario);
  if (has_network(scenario) || reader.has("network")) {
    scenario.network = read_network(reader.object("network"), scenario.workers, source);
  }
  if (means_program_alone(expanded)) {
    read_program_work(reader, source, scenario);
  } else {
    read_work(reader, source, catalogue, scenario);
  }
  scenario.seeds = read_seeds(reader);
  reader.finish();
  check_workload(scenario, catalogue, issues);
  check_methods(scenario, catalogue, issues);
  check_tuning(scenario, catalogue, issues);
  // These checks can be made only when nothing else is wrong.
  if (issues.empty()) {
    const auto unknown = gate_issues(scenario.gates, to_json(scenario));
    issues.insert(issues.end(), unknown.begin(), unknown.end());
    check_folder_names(scenario, issues);
    check_time_dilation(scenario, issues);
    check_worker_speed(scenario, issues);
    check_encode_speed(scenario, issues);
    check_decisions(scenario, catalogue, issues);
    check_exchanges(scenario, issues);
    const auto before = issues.size();
    check_simulated(scenario, issues);
    if (runs_workers(scenario) && issues.size() == before) {
      const auto refused = fabric_issues(scenario);
      issues.insert(issues.end(), refused.begin(), refused.end());
    }
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
  Json node = scenario;
  node["version"] = Scenario::kVersion;
  if (is_program_alone(scenario)) {
    node["workload"] = *scenario.program;
  } else {
    node["workload"] = scenario.workload;
    if (scenario.program) node["program"] = *scenario.program;
  }
  node["targets"] = to_json(scenario.targets);
  node["seeds"] = scenario.seeds;
  for (const auto& method : scenario.methods) node["methods"].push_back(to_json(method));
  if (!scenario.target_shares.empty()) node["targets"][kOfAllReduce] = scenario.target_shares;
  if (!scenario.loss_shares.empty()) node["targets"][kLossOfAllReduce] = scenario.loss_shares;
  if (scenario.tune) node["tune"] = *scenario.tune;
  if (scenario.compose) node["compose"] = *scenario.compose;
  if (scenario.simulate) node["simulate"] = *scenario.simulate;
  if (has_network(scenario)) node["network"] = to_json(scenario.network);
  // Keys that have no meaning in a mode or on a device are left out, so that runs need not agree in
  // them.
  if (!has_network(scenario)) {
    node.erase("slow_workers");
    node.erase("worker_speed");
    node.erase("encode_speed");
  }
  if (is_program_alone(scenario)) node.erase("device");  // the program chooses it
  if (!has_network(scenario) || scenario.device == "cpu") {
    node.erase("backend");
    node.erase("share_gpus");
  } else if (scenario.backend == "auto") {
    node.erase("backend");
  }
  return node;
}

}  // namespace pacbench
