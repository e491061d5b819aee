#include "tests/unit/contract/example_profile.h"

namespace pacbench::testing {

Json example_profile() {
  return Json::parse(R"({
    "format": "pacbench.profile/1", "source": "measured", "device": "cpu", "hardware": "a CPU",
    "model": {"name": "mlp", "hidden": [512, 512]},
    "dataset": {"name": "digits", "transform": "none"},
    "batch_per_worker": 32, "flop_per_sample": 1e6, "workers": 1,
    "buckets": [{"parameters": ["fc1.weight", "fc1.bias"], "elements": 100, "bytes": 400},
                {"parameters": ["fc0.weight"], "elements": 50, "bytes": 200}],
    "iterations": [{"forward_ms": 3, "ready_ms": [1, 4], "optimizer_ms": 1, "worker": 0},
                   {"forward_ms": 2, "ready_ms": [2, 5], "optimizer_ms": 1, "worker": 0},
                   {"forward_ms": 1, "ready_ms": [3, 9], "optimizer_ms": 1, "worker": 0}],
    "sample": {"file": "mlp.gradients", "sha256": "0", "counts": [10, 10, 5]}
  })");
}

Json example_exchanges() {
  return Json::parse(R"({
    "method": {"name": "topk", "ratio": 0.01}, "workers": 8, "copy_gb_per_s": 10, "iterations": 5,
    "buckets": [{"elements": 100, "end_ms": 1, "steps": [
                  {"work_ms": 2, "op": "all_gather", "dtype": "int32", "elements": 20,
                   "payload_bytes": 80}]},
                {"elements": 50, "end_ms": 3, "steps": [
                  {"work_ms": 4, "op": "all_gather", "dtype": "int32", "elements": 10,
                   "payload_bytes": 40}]}],
    "beside": {"elements": 0, "steps": [], "end_ms": 0.5}
  })");
}

Json example_exchanges_of_ranks() {
  const auto nothing = Json::parse(R"({"elements": 0, "steps": [], "end_ms": 0})");
  auto silent = Json::parse(R"({"buckets": [{"elements": 100, "steps": [], "end_ms": 0},
                                            {"elements": 50, "steps": [], "end_ms": 0}],
                                "weights": {"elements": 0, "steps": [], "end_ms": 3}})");
  silent["beside"] = silent["step"] = nothing;
  const auto sending = [&](std::int64_t elements) {
    auto iteration = silent;
    auto steps = Json::parse(R"([
      {"work_ms": 2, "op": "all_reduce", "dtype": "float32", "ranks": [0]},
      {"work_ms": 2, "op": "all_reduce", "dtype": "float32", "elements": 10, "payload_bytes": 40}
    ])");
    steps[0].update({{"elements", elements}, {"payload_bytes", 4 * elements}});
    iteration["weights"]["steps"] = steps;
    return iteration;
  };
  auto exchanges = example_exchanges();
  exchanges.update({{"method", {{"name", "prunex"}}}, {"workers", 2}, {"beside", nothing}});
  exchanges["buckets"] = Json::array();
  exchanges["ranks"] = {{{"iterations", {silent, sending(150)}}},
                        {{"iterations", {silent, sending(0)}}}};
  return exchanges;
}

}  // namespace pacbench::testing
