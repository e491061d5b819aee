#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json/json_reader.h"

namespace pacbench {

/// The machine that a run was made on, for its manifest.
struct Environment {
  std::string kernel;  ///< "Linux 6.1.0-18-amd64 x86_64"
  std::string cpu;     ///< model name, and where known family, model and stepping
  int cores = 0;       ///< that this process may use
  std::int64_t memory_bytes = 0;
  std::vector<std::string> congestion_controls;  ///< that the kernel has loaded
  // What of the machine's CPUs this process may use (CpuAllowance). Manifests of an earlier
  // pacbench lack these three.
  int machine_cpus = 0;               ///< 0: not recorded
  std::string allowed_cpus{};         ///< "0-2,8"; empty: not recorded
  std::optional<double> cpu_quota{};  ///< of cgroups, in CPUs; absent: none

  static Environment read();
};

Json to_json(const Environment& environment);
/// The inverse of to_json(). A key that is missing or of another type is an issue of `reader`. But
/// memory_bytes and what was not recorded of CPUs may be missing. Of congestion_controls only the
/// strings are read, and nothing about it is an issue.
Environment environment_from_json(ObjectReader reader);

/// The time of day as "2026-01-31T12:34:56Z", or "20260131T123456Z" for a folder's name.
std::string utc_now(bool for_folder = false);

}  // namespace pacbench
