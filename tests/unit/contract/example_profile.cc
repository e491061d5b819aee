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
  const Json nothing{{"elements", 0}, {"steps", Json::array()}, {"end_ms", 0}};
  const auto iteration = [&](const Json& steps) {
    return Json{{"buckets",
                 {{{"elements", 100}, {"steps", Json::array()}, {"end_ms", 0}},
                  {{"elements", 50}, {"steps", Json::array()}, {"end_ms", 0}}}},
                {"beside", nothing},
                {"step", nothing},
                {"weights", {{"elements", 0}, {"steps", steps}, {"end_ms", 3}}}};
  };
  const auto step = [](std::int64_t elements, const Json& ranks) {
    Json one{{"work_ms", 2},
             {"op", "all_reduce"},
             {"dtype", "float32"},
             {"elements", elements},
             {"payload_bytes", 4 * elements}};
    if (!ranks.empty()) one["ranks"] = ranks;
    return one;
  };
  auto exchanges = example_exchanges();
  exchanges["method"] = {{"name", "prunex"}};
  exchanges["workers"] = 2;
  exchanges["buckets"] = Json::array();
  exchanges["beside"] = nothing;
  const auto silent = iteration(Json::array());
  exchanges["ranks"] = {{{"iterations", {silent, iteration({step(150, {0}), step(10, {})})}}},
                        {{"iterations", {silent, iteration({step(0, {0}), step(10, {})})}}}};
  return exchanges;
}

}  // namespace pacbench::testing
