#include "tests/unit/contract/example_catalogue.h"

namespace pacbench::testing {
namespace {

using Type = OptionSpec::Type;

OptionSpec option(const char* name, Type type, const Json& fallback, const Range& range,
                  const char* help) {
  return {name, type, fallback, range, {}, help};
}

OptionSpec boolean(const char* name, bool fallback) {
  return {name, Type::kBoolean, fallback, {}, {}, name};
}

OptionSpec choice(const char* name, const char* fallback, std::vector<std::string> choices) {
  return {name, Type::kChoice, fallback, {}, std::move(choices), name};
}

MethodInfo plain(const char* name) {
  return {name, "mean of gradients", "", {}, true, true, false, {}};
}

MethodInfo topk() {
  auto ratio = option("ratio", Type::kNumber, nullptr, Range::ratio(), "kept share");
  ratio.in_label = {.always = true, .share = "keep"};
  return {"topk", "largest values only", "Aji and Heafield 2017", {ratio}, false, false,
          true,   {"all_gather"}};
}

MethodInfo pactrain() {
  auto ratio =
      option("pruning_ratio", Type::kNumber, 0.5, {0.0, 0.99, true}, "share of weights removed");
  ratio.in_label = {.always = true, .share = "prune"};
  const auto stable = option("stable_after", Type::kInteger, 3, Range::at_least(1),
                             "iterations with the same mask");
  auto score = choice("score", "grasp", {"grasp", "magnitude", "random"});
  score.in_label.always = true;
  auto encoding = choice("encoding", "int8", {"int8", "lanes"});
  encoding.in_label.always = true;
  encoding.only_with = OptionSpec::Condition{"quantize", {"ternary"}};
  auto quantize = choice("quantize", "none", {"none", "ternary"});
  quantize.lossless_with = "none";
  quantize.in_label = {.always = true, .none = "float32"};
  return {"pactrain",
          "pruning, then compacted all-reduce",
          "PacTrain 2025",
          {ratio, score, quantize, encoding, boolean("gradient_masking", true), stable},
          true,
          false,
          false,
          {"all_reduce"},
          {{"paper", "as in the paper", {{"score", "grasp"}, {"encoding", "int8"}}},
           {"packed", "by magnitude, in lanes", {{"score", "magnitude"}, {"encoding", "lanes"}}}},
          "pruning",
          true};
}

DatasetInfo dataset(const char* name, std::vector<OptionSpec> options,
                    std::vector<std::int64_t> shape, std::int64_t train_samples) {
  DatasetInfo info;
  info.name = name;
  info.options = std::move(options);
  info.shape = std::move(shape);
  info.classes = 10;
  info.train_samples = train_samples;
  info.test_samples = 100;
  return info;
}

}  // namespace

Catalogue example_catalogue() {
  Catalogue catalogue;
  catalogue.torch_version = "2.11.0";
  catalogue.methods = {plain("all-reduce"), plain("fp16"), topk(), pactrain()};
  const auto hidden = option("hidden", Type::kIntegers, Json::array({512, 512}), Range::at_least(1),
                             "width of each hidden layer");
  catalogue.models = {{"mlp", "multi-layer perceptron", {hidden}}, {"resnet8", "for CIFAR", {}}};
  catalogue.datasets = {
      dataset("digits", {choice("transform", "none", {"none", "rotate90"})}, {1, 8, 8}, 898),
      dataset("cifar10", {boolean("augment", true)}, {3, 32, 32}, 50000)};
  return catalogue;
}

Json example_scenario() {
  return Json::parse(R"({
    "version": 1, "name": "wan100", "mode": "emulate", "workers": 8, "device": "cpu",
    "network": {"topology": "star", "mtu": 1500, "rate_accounting": "l2",
                "congestion_control": "cubic", "links": [{"name": "100Mbps", "rate_mbit": 100}]},
    "workload": {"model": {"name": "mlp", "hidden": [512, 512]}, "dataset": {"name": "digits"},
                 "batch_per_worker": 32,
                 "optimizer": {"name": "sgd", "lr": 0.1, "momentum": 0.9},
                 "initial": {"kind": "pretrain",
                             "dataset": {"name": "digits", "transform": "rotate90"}},
                 "max_iterations": 150, "evaluate_every": 3},
    "methods": [{"name": "all-reduce"}, {"name": "fp16"}, {"name": "topk", "ratio": 0.1},
                {"name": "topk", "ratio": 0.01}, {"name": "pactrain", "pruning_ratio": 0.5},
                {"name": "pactrain", "pruning_ratio": 0.5, "quantize": "ternary"}],
    "targets": {"accuracy": [0.90, 0.95, 0.97]}, "seeds": [1, 2, 3]
  })");
}

Scenario read_scenario(const Json& document) {
  return scenario_from_json("test.json", document, example_catalogue());
}

}  // namespace pacbench::testing
