#include "contract/worker/gpus.h"

#include <fmt/format.h>

namespace pacbench {

Json to_json(const Devices& devices) {
  return {{"gpus", devices.gpus},
          {"no_gpus", devices.no_gpus},
          {"nccl_version", devices.nccl_version},
          {"no_nccl", devices.no_nccl}};
}

Devices devices_from_json(const Json& document) {
  return {document.at("gpus").get<std::vector<std::string>>(), document.at("no_gpus"),
          document.at("nccl_version"), document.at("no_nccl")};
}

int gpu_of(int rank, int gpus) { return rank % gpus; }

std::string shortage(int workers, int gpus, bool shared) {
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
