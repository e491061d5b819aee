#include "harness/record/training.h"

#include "base/json/json_fields.h"
#include "contract/worker/event_kind.h"

namespace pacbench {

template <>
struct JsonFields<record::AlikeIterations> {
  using T = record::AlikeIterations;
  static constexpr std::tuple kAll{JsonField{"iterations", &T::iterations},
                                   JsonField{"sent_bytes", &T::sent_bytes}};
};

template <>
struct JsonFields<record::PruningStep> {
  using T = record::PruningStep;
  static constexpr std::tuple kAll{JsonField{"after", &T::after},
                                   JsonField{"seconds", &T::seconds}};
};

}  // namespace pacbench

namespace pacbench::record {

Json to_json(const Training& training) {
  return {{"event", EventKind::kTraining},
          {"alike", training.iterations},
          {"pruning", training.pruning},
          {"kept_fraction", training.kept_fraction}};
}

Training training_from_json(const Json& event) {
  Training training;
  event.at("alike").get_to(training.iterations);
  if (event.contains("pruning")) event.at("pruning").get_to(training.pruning);
  training.kept_fraction = event.value("kept_fraction", 1.0);
  return training;
}

}  // namespace pacbench::record
