#include "tests/unit/harness/example.h"

#include "base/sha256.h"
#include "contract/profile/profile.h"

namespace pacbench {
namespace {

OptionSpec option(const char* name, OptionSpec::Type type, const Json& value, const Range& range) {
  OptionSpec spec;
  spec.name = name;
  spec.type = type;
  spec.default_value = value;
  spec.range = range;
  return spec;
}

}  // namespace

Catalogue fake_catalogue() {
  Catalogue catalogue;
  catalogue.torch_version = "none";
  OptionSpec fault = option("fault", OptionSpec::Type::kChoice, "none", {});
  fault.choices = {"none", "crash", "exit",        "stop",  "bytes",
                   "nan",  "torn",  "environment", "stuck", "orphan"};
  MethodInfo method;
  method.name = "fake";
  method.options = {fault, option("fault_rank", OptionSpec::Type::kInteger, 1, Range::at_least(0)),
                    option("fault_iteration", OptionSpec::Type::kInteger, 2, Range::at_least(1)),
                    option("step_ms", OptionSpec::Type::kInteger, 5, Range::at_least(0))};
  catalogue.methods = {method};
  ModelInfo model;
  model.name = "model";
  catalogue.models = {model};
  DatasetInfo dataset;
  dataset.name = "data";
  dataset.shape = {1, 8, 8};
  dataset.classes = 10;
  dataset.train_samples = dataset.test_samples = 100;
  catalogue.datasets = {dataset};
  dataset.name = "absent";
  dataset.files = {{"data.bin", 1000}};
  catalogue.datasets.push_back(dataset);
  return catalogue;
}

Json fake_scenario_json() {
  return Json::parse(R"({
    "version": 1, "name": "fake", "workers": 2, "timeout_s": 2, "time_dilation": 1,
    "network": {"links": [{"name": "slow", "rate_mbit": 100}, {"name": "fast", "rate_mbit": 1000}]},
    "workload": {"model": {"name": "model"}, "dataset": {"name": "data"}, "batch_per_worker": 4,
                 "optimizer": {"name": "sgd", "lr": 0.1},
                 "max_iterations": 6, "evaluate_every": 1},
    "methods": [{"name": "fake", "label": "a"}, {"name": "fake", "label": "b", "step_ms": 6}],
    "targets": {"accuracy": [0.8, 0.99]}, "seeds": [1, 2]})");
}

Scenario fake_scenario() {
  return scenario_from_json("fake.json", fake_scenario_json(), fake_catalogue());
}

Json fake_profile(std::int64_t elements) {
  auto profile = Json::parse(R"({
    "source": "measured", "device": "cpu", "hardware": "a fake", "model": {"name": "model"},
    "dataset": {"name": "data"}, "batch_per_worker": 4, "flop_per_sample": 1, "workers": 1,
    "iterations": [{"forward_ms": 1, "ready_ms": [1], "optimizer_ms": 1}]})");
  profile["format"] = Profile::kFormat;
  profile["buckets"] = {{{"parameters", {"w"}}, {"elements", elements}, {"bytes", 4 * elements}}};
  profile["sample"] = {{"file", "fake.gradients"}, {"sha256", sha256("sample")}, {"counts", {1}}};
  return profile;
}

}  // namespace pacbench
