#include "contract/worker/worker_spec.h"

#include "contract/worker/spec_version.h"

namespace pacbench {

template <>
struct JsonFields<MethodOverLinks> {
  using T = MethodOverLinks;
  static constexpr std::tuple kAll{required("method", &T::method), required("link", &T::link),
                                   required("round_trip_ms", &T::round_trip_ms)};
};

template <>
struct JsonFields<WorkerSpec> {
  using T = WorkerSpec;
  static constexpr std::tuple kAll{required("role", &T::role),
                                   required("rank", &T::rank),
                                   required("workers", &T::workers),
                                   required("seed", &T::seed),
                                   required("device", &T::device),
                                   required("backend", &T::backend),
                                   required("share_gpus", &T::share_gpus),
                                   required("interface", &T::interface),
                                   required("rendezvous", &T::rendezvous),
                                   required("link", &T::link),
                                   required("real_time", &T::real_time),
                                   required("traits", &T::traits),
                                   sparse("time_dilation", &T::time_dilation),
                                   sparse("compute_ms", &T::compute_ms),
                                   sparse("encode_speed", &T::encode_speed),
                                   required("timeout_s", &T::timeout_s),
                                   required("workload", &T::workload),
                                   required("method", &T::method),
                                   required("data_folder", &T::data_folder),
                                   sparse("python_folder", &T::python_folder),
                                   required("checkpoint", &T::checkpoint),
                                   required("quality_every", &T::quality_every),
                                   required("state_every", &T::state_every),
                                   required("state_folder", &T::state_folder),
                                   required("compose", &T::compose),
                                   required("exchanges", &T::exchanges),
                                   required("resume_state", &T::resume_state)};
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
