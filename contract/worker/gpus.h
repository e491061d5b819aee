#pragma once

#include <fmt/format.h>

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

inline Json to_json(const Devices& devices) {
  return {{"gpus", devices.gpus},
          {"no_gpus", devices.no_gpus},
          {"nccl_version", devices.nccl_version},
          {"no_nccl", devices.no_nccl}};
}

/// Throws nlohmann::json::exception when the document does not describe devices.
inline Devices devices_from_json(const Json& document) {
  return {document.at("gpus").get<std::vector<std::string>>(), document.at("no_gpus"),
          document.at("nccl_version"), document.at("no_nccl")};
}

/// The number of the GPU, of `gpus` (at least one), that a rank computes on. Call this only when
/// shortage() is empty.
inline int gpu_of(int rank, int gpus) { return rank % gpus; }

/// Says why `gpus` do not suffice for `workers`, and what to do. Empty when they suffice: one GPU
/// for each worker, or at least one when `shared`.
inline std::string shortage(int workers, int gpus, bool shared) {
  if (gpus >= workers || (shared && gpus > 0)) return "";
  const auto found =
      fmt::format("found {} GPU{} for {} workers", gpus, gpus == 1 ? "" : "s", workers);
  if (shared) return found + ", expected at least one";
  return found +
         ", expected one for each; \"share_gpus\": true lets several workers share a GPU "
         "(computing then takes another time than on a GPU for each worker)" +
         (gpus < 2 ? "" : fmt::format(", or use at most {} workers", gpus));
}

}  // namespace pacbench
