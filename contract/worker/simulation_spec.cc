#include "contract/worker/simulation_spec.h"

#include "contract/worker/spec_version.h"

namespace pacbench {

template <>
struct JsonFields<SimulatedLinks> {
  using T = SimulatedLinks;
  static constexpr std::tuple kAll{
      required("topology", &T::topology), required("tree", &T::tree), required("shape", &T::shape),
      required("rate_mbit", &T::rate_mbit), required("delay_ms", &T::delay_ms)};
};

template <>
struct JsonFields<SimulationSpec> {
  using T = SimulationSpec;
  static constexpr std::tuple kAll{
      required("workers", &T::workers), required("iterations", &T::iterations),
      required("seed", &T::seed),       required("traits", &T::traits),
      required("links", &T::links),     required("mtu", &T::mtu),
      required("model", &T::model),     required("profile", &T::profile)};
};

Json to_json(const SimulationSpec& spec) {
  Json node = spec;
  node["version"] = SimulationSpec::kVersion;
  return node;
}

SimulationSpec simulation_spec_from_json(const Json& document) {
  return spec_of_version<SimulationSpec>(
      document, [](const Json& node) { return node.get<SimulationSpec>(); });
}

}  // namespace pacbench
