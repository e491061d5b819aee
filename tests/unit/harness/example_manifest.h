#pragma once

#include "harness/store/manifest.h"

namespace pacbench {

/// A complete manifest of a run of this scenario, on a made-up machine.
inline store::Manifest example_manifest(const Json& scenario = Json::object()) {
  store::Manifest manifest;
  manifest.command = "pacbench run example.json";
  manifest.scenario = scenario;
  manifest.scenario_hash = "5ce7a210";
  manifest.comparison_hash = "c03ba815";
  manifest.pacbench_version = "0.1.0";
  manifest.git_commit = "0123456789ab";
  manifest.torch_version = "2.11.0";
  manifest.started_utc = "2026-03-04T05:06:07Z";
  manifest.environment = {"Linux 6.1", "a CPU", 4, 1 << 30, {"cubic"}};
  return manifest;
}

}  // namespace pacbench
