// This file says which keys two scenarios must have in common, and makes the hashes by which runs
// are compared and resumed.
#include "base/sha256.h"
#include "contract/scenario/scenario.h"

namespace pacbench {

Json compared_part(Json canonical) {
  for (const char* key : {"name", "seeds", "methods", "tune", "targets", "gates", "timeout_s",
                          "quality_every", "checkpoint_every", "python_folder"}) {
    canonical.erase(key);
  }
  // The path of a file does not matter; its hash identifies the contents. That of a user's class is
  // one of its options.
  const Json::json_pointer initial{"/workload/initial"};
  if (canonical.contains(initial)) canonical.at(initial).erase("path");
  if (is_program_alone(canonical)) canonical["workload"].erase("folder");
  if (canonical.contains("program")) canonical["program"].erase("folder");
  if (canonical.contains("compose")) canonical["compose"].erase("curve");
  return canonical;
}

std::string comparison_hash(const Scenario& scenario) {
  return sha256(compared_part(to_json(scenario)).dump());
}

Json asked_part(Json canonical) {
  canonical.erase("gates");
  if (!canonical.contains("targets")) return canonical;
  auto& targets = canonical["targets"];
  if (targets.contains(kOfAllReduce)) targets.erase(kAccuracy);
  if (targets.contains(kLossOfAllReduce)) targets.erase(kLoss);
  return canonical;
}

std::string scenario_hash(const Scenario& scenario) {
  return sha256(asked_part(to_json(scenario)).dump());
}

}  // namespace pacbench
