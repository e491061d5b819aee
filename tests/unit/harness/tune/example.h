#pragma once

#include "tests/unit/contract/example_catalogue.h"

namespace pacbench::tune {

/// The example scenario with settings to try: four of the last method and two of top-k.
inline Json example_document() {
  auto document = testing::example_scenario();
  document["methods"] = Json::parse(R"([
    {"name": "all-reduce"},
    {"name": "topk", "ratio": 0.01, "tune": [{"ratio": 0.01}, {"ratio": 0.1}]},
    {"name": "pactrain", "quantize": "ternary", "label": "mine", "tune": [
      {"score": "grasp"}, {"score": "magnitude"}, {"encoding": "lanes"}, {"quantize": "none"}]}])");
  document["tune"] = {
      {"learning_rates", {0.2, 0.05, 0.1}}, {"seeds", {101, 102}}, {"validation_samples", 180}};
  return document;
}

inline Scenario read(const Json& document) {
  return scenario_from_json("tuned.json", document, testing::example_catalogue());
}

}  // namespace pacbench::tune
