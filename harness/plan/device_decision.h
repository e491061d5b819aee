#pragma once

#include <string>

#include "contract/scenario/scenario.h"
#include "contract/worker/gpus.h"

namespace pacbench::plan {

/// Whether the device of a scenario is "auto", which must be decided before anything is planned.
bool leaves_device_open(const Scenario& scenario);

/// Device "auto", decided for one machine.
struct DeviceDecision {
  std::string device;   ///< cpu or cuda
  std::string backend;  ///< of cuda over links: gloo or nccl; else empty
  std::string reason;   ///< "found 1 GPU for 8 workers; …"
  Devices devices;      ///< what the machine has
};

/// Chooses cuda where the GPUs suffice for "device": "cuda", else cpu. They suffice with a GPU for
/// each worker; one is enough where workers may share GPUs, and in mode learn. With cuda over
/// links, chooses NCCL where the worker can load it (Devices::nccl_version), unless the scenario
/// says gloo.
DeviceDecision decide_device(const Scenario& scenario, Devices devices);

/// The scenario with the chosen device and backend in the place of "auto". On the CPU `share_gpus`
/// becomes false.
Scenario on_device(Scenario scenario, const DeviceDecision& decision);

/// One line: "device cpu: there is no NVIDIA driver here (auto)".
std::string describe(const DeviceDecision& decision);

/// The decision for the manifest: what was asked for, what was chosen, and why.
Json to_json(const DeviceDecision& decision);

/// Throws ConfigError naming `source` when the manifest's run is on another device or backend than
/// was decided here. The error has both reasons and what to do. `scenario` is the scenario on the
/// device decided here, `there` the manifest's scenario, `recorded` the manifest's decision or
/// null.
void require_same_decision(const std::string& source, const Json& there, const Json& recorded,
                           const Scenario& scenario, const DeviceDecision& decision);

}  // namespace pacbench::plan
