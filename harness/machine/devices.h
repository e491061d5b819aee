#pragma once

#include <string>

#include "contract/scenario/scenario.h"
#include "contract/worker/gpus.h"

namespace pacbench {

/// Asks the worker program which GPUs and which NCCL it finds (`pacbench-worker --devices`). Throws
/// CommandFailed with the program's own words when it does not answer.
Devices ask_devices(const std::string& worker);

/// The GPU that a worker computes on, as a run's manifest names it; "unknown" where it finds none.
std::string first_gpu(const std::string& worker);

/// For a scenario that computes on GPUs: throws ConfigError when this machine has too few GPUs for
/// it, or lacks the NCCL that it needs. The error has the pointer of a key to change, what was
/// found and expected, and what to do.
void require_devices(const Scenario& scenario, const Devices& devices);

/// Returns what the manifest of a run on GPUs records: the names of all GPUs of this machine, of
/// which the run may use fewer. With backend nccl over links, also the version of NCCL and its
/// environment on rank 0; other ranks differ in NCCL_HOSTID.
Json recorded_devices(const Scenario& scenario, const Devices& devices);

/// Throws ConfigError naming `source` unless `recorded` names the same GPUs as `devices`, in the
/// same order. Both hold all GPUs of a machine, used or not. `recorded` is what recorded_devices()
/// returned when the run was made. Null means that none were recorded, and always throws.
void require_same_gpus(const std::string& source, const Json& recorded, const Devices& devices);

}  // namespace pacbench
