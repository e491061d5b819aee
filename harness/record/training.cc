#include "harness/record/training.h"

#include "base/json_integer.h"
#include "contract/worker/event_kind.h"

namespace pacbench::record {

Json to_json(const Training& training) {
  auto alike = Json::array();
  for (const auto& [iterations, sent_bytes] : training.iterations) {
    alike.push_back({{"iterations", iterations}, {"sent_bytes", sent_bytes}});
  }
  auto pruning = Json::array();
  for (const auto& [after, seconds] : training.pruning) {
    pruning.push_back({{"after", after}, {"seconds", seconds}});
  }
  return {{"event", EventKind::kTraining},
          {"alike", alike},
          {"pruning", pruning},
          {"kept_fraction", training.kept_fraction}};
}

Training training_from_json(const Json& event) {
  Training training;
  for (const auto& alike : event.at("alike")) {
    training.iterations.push_back(
        {integer_from_json(alike.at("iterations")), integer_from_json(alike.at("sent_bytes"))});
  }
  for (const auto& step : event.value("pruning", Json::array())) {
    training.pruning.push_back({integer_from_json(step.at("after")), step.at("seconds")});
  }
  training.kept_fraction = event.value("kept_fraction", 1.0);
  return training;
}

}  // namespace pacbench::record
