#pragma once

#include <string>
#include <vector>

#include "base/json/json_reader.h"

namespace pacbench {

/// The document of `pacbench-worker --devices`: the devices and backends that a worker can use on
/// this machine.
struct Devices {
  std::vector<std::string> gpus;  ///< names, in the order of their numbers
  std::string no_gpus;            ///< why there are no GPUs; empty when there are some
  std::string nccl_version;       ///< "2.28.9", of the library that was loaded; empty: none was
  std::string no_nccl;            ///< why NCCL was not loaded; empty when it was
};

Json to_json(const Devices& devices);

/// Throws nlohmann::json::exception when the document does not describe devices.
Devices devices_from_json(const Json& document);

/// The number of the GPU, of `gpus` (at least one), that a rank computes on. Call this only when
/// shortage() is empty.
int gpu_of(int rank, int gpus);

/// Says why `gpus` do not suffice for `workers`, and what to do. Empty when they suffice: one GPU
/// for each worker, or at least one when `shared`.
std::string shortage(int workers, int gpus, bool shared);

}  // namespace pacbench
