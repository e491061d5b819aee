#include "tests/unit/spec/example_profile.h"

namespace pacbench::testing {

Json example_profile() {
  return Json::parse(R"({
    "format": "pacbench.profile/1", "source": "measured", "device": "cpu", "hardware": "a CPU",
    "model": {"name": "mlp", "hidden": [512, 512]},
    "dataset": {"name": "digits", "transform": "none"},
    "batch_per_worker": 32, "flop_per_sample": 1e6, "workers": 1,
    "buckets": [{"parameters": ["fc1.weight", "fc1.bias"], "elements": 100, "bytes": 400},
                {"parameters": ["fc0.weight"], "elements": 50, "bytes": 200}],
    "iterations": [{"forward_ms": 3, "ready_ms": [1, 4], "optimizer_ms": 1},
                   {"forward_ms": 2, "ready_ms": [2, 5], "optimizer_ms": 1},
                   {"forward_ms": 1, "ready_ms": [3, 9], "optimizer_ms": 1}],
    "sample": {"file": "mlp.gradients", "sha256": "0", "counts": [10, 10, 5]}
  })");
}

}  // namespace pacbench::testing
