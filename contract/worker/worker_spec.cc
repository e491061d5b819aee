#include "contract/worker/worker_spec.h"

#include "contract/scenario/compose_keys.h"
#include "contract/scenario/workload_keys.h"
#include "contract/worker/spec_version.h"

namespace pacbench {

template <>
struct JsonFields<MethodOverLinks> {
  using T = MethodOverLinks;
  static constexpr std::tuple kAll{JsonField{"method", &T::method}, JsonField{"link", &T::link},
                                   JsonField{"round_trip_ms", &T::round_trip_ms}};
};

template <>
struct JsonFields<WorkerSpec> {
  using T = WorkerSpec;
  static constexpr std::tuple kAll{JsonField{"role", &T::role},
                                   JsonField{"rank", &T::rank},
                                   JsonField{"workers", &T::workers},
                                   JsonField{"seed", &T::seed},
                                   JsonField{"device", &T::device},
                                   JsonField{"backend", &T::backend},
                                   JsonField{"share_gpus", &T::share_gpus},
                                   JsonField{"interface", &T::interface},
                                   JsonField{"rendezvous", &T::rendezvous},
                                   JsonField{"link", &T::link},
                                   JsonField{"real_time", &T::real_time},
                                   JsonField{"traits", &T::traits},
                                   LaterJsonField{"time_dilation", &T::time_dilation},
                                   LaterJsonField{"compute_ms", &T::compute_ms},
                                   LaterJsonField{"encode_speed", &T::encode_speed},
                                   JsonField{"timeout_s", &T::timeout_s},
                                   JsonField{"workload", &T::workload},
                                   JsonField{"method", &T::method},
                                   JsonField{"data_folder", &T::data_folder},
                                   LaterJsonField{"python_folder", &T::python_folder},
                                   JsonField{"checkpoint", &T::checkpoint},
                                   JsonField{"quality_every", &T::quality_every},
                                   JsonField{"state_every", &T::state_every},
                                   JsonField{"state_folder", &T::state_folder},
                                   JsonField{"compose", &T::compose},
                                   JsonField{"exchanges", &T::exchanges},
                                   JsonField{"resume_state", &T::resume_state}};
};

Json to_json(const WorkerSpec& spec) {
  Json node = spec;
  node["version"] = WorkerSpec::kVersion;
  node["targets"] = to_json(spec.targets);
  if (spec.compose) node["compose"]["sample"] = spec.compose->sample;
  return node;
}

WorkerSpec worker_spec_from_json(const Json& document) {
  return spec_of_version<WorkerSpec>(document, [](const Json& node) {
    auto spec = node.get<WorkerSpec>();
    spec.targets = targets_of(node);
    if (spec.compose) spec.compose->sample = node.at("compose").at("sample");
    return spec;
  });
}

}  // namespace pacbench
