#include "harness/plan/device_decision.h"

#include <fmt/format.h>

#include <utility>

namespace pacbench::plan {
namespace {

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
      source,
      {{"/device",
        fmt::format(
            "the run was started on {}{}, but here device \"auto\" chooses {} ({}): old and new "
            "cells could not be compared; resume it where it was started{}, or start a new run",
            place_of(device, backend), reason.empty() ? "" : fmt::format(" ({})", reason),
            place_of(decision.device, decision.backend), decision.reason,
            names.empty() ? "" : fmt::format(", or with {}", names))}}};
}

}  // namespace pacbench::plan
