#include "harness/plan/plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>
#include <utility>

#include "base/subprocess.h"
#include "contract/result/result.h"
#include "contract/scenario/scenario_checks.h"

namespace pacbench::plan {
namespace {

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream{text};
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
  return parts;
}

std::map<std::string, std::vector<std::string>> choices_of(const Scenario& scenario) {
  std::map<std::string, std::vector<std::string>> choices{
      {"method", {}}, {"link", {}}, {"seed", {}}};
  for (const auto& method : scenario.methods) choices["method"].push_back(method.label);
  for (const auto& link : link_profiles(scenario)) choices["link"].push_back(link.name);
  for (const auto seed : scenario.seeds) choices["seed"].push_back(std::to_string(seed));
  return choices;
}

bool lets_pass(const Filter& filter, const std::string& key, const std::string& value) {
  const auto wanted = filter.find(key);
  return wanted == filter.end() || wanted->second.empty() || wanted->second.contains(value);
}

/// The number of trainings that tuning runs for each method, unless it has to extend the grid of
/// learning rates.
std::size_t trainings_of(const Scenario& scenario) {
  return most_settings(scenario.methods) * scenario.tune->learning_rates.size() *
         scenario.tune->seeds.size();
}

std::string work_words(const Scenario& scenario) {
  std::vector<std::string> words;
  if (scenario.compose) {
    words.push_back(fmt::format("at most {} iterations a cell, without training",
                                scenario.compose->iterations));
  } else if (!is_program_alone(scenario)) {
    words.push_back(
        fmt::format("trainings of at most {} iterations", scenario.workload.max_iterations));
  }
  if (scenario.program) {
    words.push_back(fmt::format("{} in {}, at most {:g} s a cell",
                                shell_words(scenario.program->command), scenario.program->folder,
                                scenario.program->time_limit_s));
  }
  return fmt::format("{}", fmt::join(words, "; "));
}

std::string count_of_gpus(const Devices& devices) {
  return fmt::format("{} GPU{}", devices.gpus.size(), devices.gpus.size() == 1 ? "" : "s");
}

bool are_enough(const Scenario& scenario, int gpus) {
  return has_network(scenario) ? shortage(scenario.workers, gpus, scenario.share_gpus).empty()
                               : gpus > 0;
}

std::string why_not(const Scenario& scenario, const Devices& devices) {
  if (devices.gpus.empty()) return devices.no_gpus;
  return fmt::format("found {} for {} workers; \"share_gpus\": true lets workers share GPUs",
                     count_of_gpus(devices), scenario.workers);
}

std::string why(const Scenario& scenario, const Devices& devices) {
  const auto gpus = count_of_gpus(devices);
  if (!has_network(scenario)) return gpus + ", and mode learn needs one";
  if (static_cast<int>(devices.gpus.size()) >= scenario.workers) {
    return fmt::format("{} for {} workers", gpus, scenario.workers);
  }
  return fmt::format("{} workers share {}", scenario.workers, gpus);
}

/// Returns device and backend in words: "cuda over nccl".
std::string place_of(const std::string& device, const std::string& backend) {
  return backend.empty() ? device : fmt::format("{} over {}", device, backend);
}

/// The options with which this machine can resume a run on `device` and `backend`, which auto chose
/// at its start; empty when there are none.
std::string names_for(const std::string& device, const std::string& backend,
                      const Scenario& scenario, const DeviceDecision& here) {
  if (device == "cpu") {
    return scenario.share_gpus ? "--set /device=cpu --set /share_gpus=false" : "--set /device=cpu";
  }
  return device == here.device && backend == "gloo" ? "--set /backend=gloo" : "";
}

}  // namespace

std::string Cell::folder_name() const { return cell_name(method.label, link.name, seed); }

Filter parse_filter(const std::vector<std::string>& arguments, const Scenario& scenario) {
  const auto choices = choices_of(scenario);
  Filter filter;
  std::vector<Issue> issues;
  const auto found_nothing = [&](const std::string& text) {
    issues.push_back({"", fmt::format("found no value in \"{}\", expected method=LABEL, link=NAME "
                                      "or seed=N",
                                      text)});
  };
  for (const auto& argument : arguments) {
    std::string key;
    const auto terms = split(argument, ',');
    if (terms.empty()) found_nothing(argument);
    for (const auto& term : terms) {
      // A term without "=", as the 2 of `seed=1,2`, belongs to the key before it.
      const auto equals = term.find('=');
      const bool has_key = equals != std::string::npos && choices.contains(term.substr(0, equals));
      if (has_key) key = term.substr(0, equals);
      if (key.empty()) {
        issues.push_back(
            {"", fmt::format("found \"{}\", expected method=LABEL, link=NAME or seed=N", term)});
        continue;
      }
      const auto values = split(has_key ? term.substr(equals + 1) : term, '|');
      if (values.empty()) found_nothing(term);
      for (const auto& value : values) {
        const auto& known = choices.at(key);
        if (std::find(known.begin(), known.end(), value) != known.end()) {
          filter[key].insert(value);
        } else {
          issues.push_back({"", fmt::format("found no {} \"{}\" in the scenario; there is: {}", key,
                                            value, fmt::join(known, ", "))});
        }
      }
    }
  }
  if (!issues.empty()) throw ConfigError{"--only", issues};
  return filter;
}

std::vector<Cell> plan(const Scenario& scenario, const Filter& filter) {
  std::vector<Cell> cells;
  for (const auto seed : scenario.seeds) {
    for (const auto& link : link_profiles(scenario)) {
      for (const auto& method : scenario.methods) {
        if (lets_pass(filter, "seed", std::to_string(seed)) &&
            lets_pass(filter, "link", link.name) && lets_pass(filter, "method", method.label)) {
          cells.push_back({method, link, seed});
        }
      }
    }
  }
  return cells;
}

std::string describe_plan(const Scenario& scenario, const std::vector<Cell>& cells) {
  const auto& network = scenario.network;
  std::string text = fmt::format(
      "{}: {} cells, {} workers on {}{}, mode {}, {}\n", scenario.name, cells.size(),
      scenario.workers,
      is_program_alone(scenario) ? "the device that the program chooses" : scenario.device,
      uses_nccl(scenario) ? " over NCCL" : "", word_of(scenario.mode), work_words(scenario));
  if (!has_network(scenario)) {
    text += fmt::format("all workers of a cell in one process, no network{}\n",
                        network.links.empty() ? "" : ": the scenario's \"network\" is ignored");
  }
  if (has_network(scenario)) text += describe_network(scenario);
  if (scenario.tune) {
    text += fmt::format(
        "\nbefore the cells run, at least {} trainings{}, {} for each method, choose its options "
        "and "
        "its learning rate\n",
        trainings_of(scenario) * scenario.methods.size(),
        is_program_alone(scenario)
            ? " over " + scenario.network.links.front().name
            : fmt::format(" of {} iterations in mode learn", scenario.tune->max_iterations),
        trainings_of(scenario));
  }
  text += "\ncells, in the order they run\n";
  for (std::size_t i = 0; i < cells.size(); ++i) {
    text += fmt::format("{:4}  {}\n", i + 1, cells[i].folder_name());
  }
  return text;
}

Json plan_to_json(const Scenario& scenario, const std::vector<Cell>& cells) {
  Json document{{"cells", Json::array()}, {"links", Json::array()}};
  for (const auto& cell : cells) document["cells"].push_back(cell.folder_name());
  if (!has_network(scenario)) return document;
  for (const auto& link : link_profiles(scenario)) {
    document["links"].push_back({{"name", link.name}});
    if (!makes_links(scenario) || link.is_unknown()) continue;
    document["links"].back()["request"] = to_json(daemon_request(scenario, link));
  }
  return document;
}

bool leaves_device_open(const Scenario& scenario) { return scenario.device == "auto"; }

DeviceDecision decide_device(const Scenario& scenario, Devices devices) {
  DeviceDecision decision{"cpu", "", "", std::move(devices)};
  const auto& here = decision.devices;
  if (!are_enough(scenario, static_cast<int>(here.gpus.size()))) {
    decision.reason = why_not(scenario, here);
    return decision;
  }
  decision.device = "cuda";
  decision.reason = why(scenario, here);
  if (!has_network(scenario)) return decision;
  const bool over_nccl = scenario.backend != "gloo" && !here.nccl_version.empty();
  decision.backend = over_nccl ? "nccl" : "gloo";
  if (scenario.backend != "gloo" && !over_nccl)
    decision.reason += fmt::format("; {}", here.no_nccl);
  return decision;
}

Scenario on_device(Scenario scenario, const DeviceDecision& decision) {
  scenario.device = decision.device;
  scenario.backend = decision.backend.empty() ? "gloo" : decision.backend;
  if (!uses_gpus(scenario)) scenario.share_gpus = false;
  return scenario;
}

std::string describe(const DeviceDecision& decision) {
  return fmt::format("device {}: {} (auto)", place_of(decision.device, decision.backend),
                     decision.reason);
}

Json to_json(const DeviceDecision& decision) {
  Json node{{"asked", "auto"}, {"taken", decision.device}, {"reason", decision.reason}};
  if (!decision.backend.empty()) node["backend"] = decision.backend;
  return node;
}

void require_same_decision(const std::string& source, const Json& there, const Json& recorded,
                           const Scenario& scenario, const DeviceDecision& decision) {
  const auto device = there.value("device", "cpu");
  const auto backend = there.value("backend", "");
  if (device == decision.device && backend == decision.backend) return;
  const auto reason = recorded.is_object() ? recorded.value("reason", "") : std::string{};
  const auto names = names_for(device, backend, scenario, decision);
  throw ConfigError{
      source, "/device",
      fmt::format(
          "the run was started on {}{}, but here device \"auto\" chooses {} ({}): old and new "
          "cells could not be compared; resume it where it was started{}, or start a new run",
          place_of(device, backend), reason.empty() ? "" : fmt::format(" ({})", reason),
          place_of(decision.device, decision.backend), decision.reason,
          names.empty() ? "" : fmt::format(", or with {}", names))};
}

}  // namespace pacbench::plan
