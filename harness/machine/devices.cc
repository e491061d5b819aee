#include "harness/machine/devices.h"

#include <fmt/format.h>

#include "base/subprocess.h"
#include "contract/worker/nccl_environment.h"
#include "contract/worker/worker_spec.h"

namespace pacbench {
namespace {

/// Says why a run of the GPUs `there` cannot go on here. Null: its manifest does not name them.
std::string other_gpus(const Json& there, const Json& here) {
  if (there.is_null()) {
    return fmt::format(
        "the manifest does not say with which GPUs the run was started, expected {}, as here: old "
        "and new cells could not be compared; start a new run",
        here.dump());
  }
  return fmt::format(
      "the run was started with GPUs {}, but here are GPUs {}: old and new cells could not be "
      "compared; resume it with the GPUs of its start, or start a new run",
      there.dump(), here.dump());
}

}  // namespace

Devices ask_devices(const std::string& worker) {
  const auto text = run_checked({worker, "--devices"});
  try {
    return devices_from_json(parse_json("devices", text));
  } catch (const std::exception& error) {
    throw CommandFailed{fmt::format("`{} --devices` did not write a list of devices ({}): {}",
                                    worker, error.what(), text)};
  }
}

std::string first_gpu(const std::string& worker) {
  const auto devices = ask_devices(worker);
  return devices.gpus.empty() ? "unknown" : devices.gpus.front();
}

void require_devices(const Scenario& scenario, const Devices& devices) {
  std::vector<Issue> issues;
  const auto gpus = static_cast<int>(devices.gpus.size());
  if (gpus == 0) {
    issues.push_back(
        {"/device",
         fmt::format("found \"cuda\", but {}; expected a GPU here, or \"cpu\"", devices.no_gpus)});
  } else if (has_network(scenario)) {  // in mode learn all ranks compute on the first GPU
    const auto issue = shortage(scenario.workers, gpus, scenario.share_gpus);
    if (!issue.empty()) issues.push_back({"/share_gpus", issue});
  }
  if (uses_nccl(scenario) && devices.nccl_version.empty()) {
    issues.push_back(
        {"/backend",
         fmt::format("found \"nccl\", but {}; expected NCCL on this machine, or \"gloo\"",
                     devices.no_nccl)});
  }
  if (!issues.empty()) throw ConfigError{scenario.name, issues};
}

void require_same_gpus(const std::string& source, const Json& recorded, const Devices& devices) {
  const auto there = recorded.is_object() ? recorded.value("gpus", Json{}) : Json{};
  if (there == Json(devices.gpus)) return;
  throw ConfigError{source, {{"/devices/gpus", other_gpus(there, Json(devices.gpus))}}};
}

Json recorded_devices(const Scenario& scenario, const Devices& devices) {
  Json node{{"gpus", devices.gpus}};
  if (uses_nccl(scenario)) {
    node["nccl_version"] = devices.nccl_version;
    node["nccl_environment"] = nccl_environment(0, WorkerSpec{}.interface);
  }
  return node;
}

}  // namespace pacbench
