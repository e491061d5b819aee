#include "contract/worker/worker_event.h"

namespace pacbench {

void to_json(Json& json, const Span& span) { json = {span.start_ns, span.end_ns}; }
void from_json(const Json& json, Span& span) {
  span = {json.at(0).get<std::int64_t>(), json.at(1).get<std::int64_t>()};
}

FailedEvent failed_event_from_json(const Json& node) {
  if (node.contains("diverged")) return node.get<FailedEvent>();
  // Lines of pacbench 0.2.0 and before lack "diverged". Then a rank that failed in or after its
  // first iteration counts as diverged.
  auto event = node;
  event["diverged"] = node.at("iteration") > 0;
  return event.get<FailedEvent>();
}

std::optional<double> surplus(const EvaluationEvent& evaluation, const Target& target) {
  if (target.metric == kLoss) return target.value - evaluation.loss;
  if (!evaluation.accuracy) return std::nullopt;
  return *evaluation.accuracy - target.value;
}

bool reaches(const EvaluationEvent& evaluation, const Target& target) {
  return surplus(evaluation, target).value_or(-1) >= 0;
}

}  // namespace pacbench
