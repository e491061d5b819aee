#include "contract/worker/simulation_spec.h"

#include "contract/fabric/fabric_spec_json.h"
#include "contract/profile/profile_keys.h"
#include "contract/scenario/simulate_keys.h"
#include "contract/worker/spec_version.h"

namespace pacbench {

template <>
struct JsonFields<SimulatedLinks> {
  using T = SimulatedLinks;
  static constexpr std::tuple kAll{JsonField{"topology", &T::topology}, JsonField{"tree", &T::tree},
                                   JsonField{"shape", &T::shape},
                                   JsonField{"rate_mbit", &T::rate_mbit},
                                   JsonField{"delay_ms", &T::delay_ms}};
};

template <>
struct JsonFields<SimulationSpec> {
  using T = SimulationSpec;
  static constexpr std::tuple kAll{
      JsonField{"workers", &T::workers}, JsonField{"iterations", &T::iterations},
      JsonField{"seed", &T::seed},       JsonField{"traits", &T::traits},
      JsonField{"links", &T::links},     JsonField{"mtu", &T::mtu},
      JsonField{"model", &T::model},     JsonField{"profile", &T::profile}};
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
