#include "contract/worker/worker_event.h"

#include "base/json/json_fields.h"
#include "contract/worker/event_kind.h"

namespace pacbench {

void to_json(Json& json, const Span& span) { json = {span.start_ns, span.end_ns}; }
void from_json(const Json& json, Span& span) {
  span = {json.at(0).get<std::int64_t>(), json.at(1).get<std::int64_t>()};
}

template <>
struct JsonFields<CollectiveTrace> {
  using T = CollectiveTrace;
  static constexpr std::tuple kAll{JsonField{"op", &T::op},
                                   JsonField{"dtype", &T::dtype},
                                   JsonField{"elements", &T::elements},
                                   JsonField{"payload_bytes", &T::payload_bytes},
                                   JsonField{"sent_bytes", &T::sent_bytes},
                                   JsonField{"ready_ns", &T::ready_ns},
                                   JsonField{"wire", &T::wire},
                                   LaterJsonField{"group_size", &T::group_size}};
};

template <>
struct JsonFields<BucketTrace> {
  using T = BucketTrace;
  static constexpr std::tuple kAll{
      JsonField{"index", &T::index}, JsonField{"elements", &T::elements},
      JsonField{"exchange", &T::exchange}, JsonField{"collectives", &T::collectives},
      LaterJsonField{"notes", &T::notes}};
};

template <>
struct JsonFields<LinkTraffic> {
  using T = LinkTraffic;
  static constexpr std::tuple kAll{JsonField{"sent_bytes", &T::sent_bytes},
                                   JsonField{"sent_packets", &T::sent_packets},
                                   JsonField{"received_bytes", &T::received_bytes},
                                   JsonField{"received_packets", &T::received_packets},
                                   JsonField{"dropped_packets", &T::dropped_packets},
                                   JsonField{"retransmits", &T::retransmits}};
};

template <>
struct JsonFields<IterationEvent> {
  using T = IterationEvent;
  static constexpr std::tuple kAll{JsonField{"rank", &T::rank},
                                   JsonField{"iteration", &T::iteration},
                                   JsonField{"step", &T::step},
                                   JsonField{"forward", &T::forward},
                                   JsonField{"backward", &T::backward},
                                   JsonField{"exposed", &T::exposed},
                                   JsonField{"optimizer", &T::optimizer},
                                   JsonField{"training_s", &T::training_s},
                                   JsonField{"loss", &T::loss},
                                   JsonField{"expected_sent_bytes", &T::expected_sent_bytes},
                                   JsonField{"buckets", &T::buckets},
                                   JsonField{"traffic", &T::traffic},
                                   LaterJsonField{"late", &T::late}};
};

template <>
struct JsonFields<ReadyEvent> {
  using T = ReadyEvent;
  static constexpr std::tuple kAll{JsonField{"rank", &T::rank},
                                   JsonField{"parameters", &T::parameters},
                                   JsonField{"bucket_elements", &T::bucket_elements},
                                   JsonField{"compute_threads", &T::compute_threads},
                                   JsonField{"real_time", &T::real_time},
                                   JsonField{"scheduling_floor_ms", &T::scheduling_floor_ms},
                                   JsonField{"resident_bytes", &T::resident_bytes},
                                   LaterJsonField{"floor_bytes", &T::floor_bytes},
                                   LaterJsonField{"iteration", &T::iteration}};
};

template <>
struct JsonFields<AliveEvent> {
  static constexpr std::tuple kAll{JsonField{"rank", &AliveEvent::rank}};
};

template <>
struct JsonFields<EvaluationEvent> {
  using T = EvaluationEvent;
  static constexpr std::tuple kAll{
      JsonField{"iteration", &T::iteration}, JsonField{"training_s", &T::training_s},
      LaterJsonField{"accuracy", &T::accuracy}, JsonField{"loss", &T::loss}};
};

template <>
struct JsonFields<QualityEvent::Layer> {
  using T = QualityEvent::Layer;
  static constexpr std::tuple kAll{JsonField{"name", &T::name}, JsonField{"vnmse", &T::vnmse}};
};

template <>
struct JsonFields<QualityEvent> {
  using T = QualityEvent;
  static constexpr std::tuple kAll{
      JsonField{"iteration", &T::iteration},  JsonField{"vnmse", &T::vnmse},
      JsonField{"cosine", &T::cosine},        JsonField{"mean_norm", &T::mean_norm},
      LaterJsonField{"density", &T::density}, JsonField{"residual_norm", &T::residual_norm},
      JsonField{"layers", &T::layers}};
};

template <>
struct JsonFields<PrunedEvent> {
  using T = PrunedEvent;
  static constexpr std::tuple kAll{
      JsonField{"iteration", &T::iteration}, JsonField{"training_s", &T::training_s},
      JsonField{"seconds", &T::seconds}, JsonField{"kept_fraction", &T::kept_fraction},
      JsonField{"mask_sample", &T::mask_sample}};
};

template <>
struct JsonFields<DoneEvent> {
  using T = DoneEvent;
  static constexpr std::tuple kAll{JsonField{"rank", &T::rank},
                                   JsonField{"iterations", &T::iterations},
                                   JsonField{"training_s", &T::training_s},
                                   JsonField{"pruning_s", &T::pruning_s},
                                   JsonField{"preparation", &T::preparation},
                                   JsonField{"kept_fraction", &T::kept_fraction},
                                   JsonField{"peak_resident_bytes", &T::peak_resident_bytes}};
};

template <>
struct JsonFields<FailedEvent> {
  using T = FailedEvent;
  static constexpr std::tuple kAll{
      JsonField{"rank", &T::rank}, JsonField{"iteration", &T::iteration},
      JsonField{"message", &T::message}, JsonField{"diverged", &T::diverged}};
};

namespace {

template <typename Event>
Json event_json(EventKind kind, const Event& event) {
  Json node = event;
  node["event"] = kind;
  return node;
}

}  // namespace

Json to_json(const IterationEvent& event) { return event_json(EventKind::kIteration, event); }
Json to_json(const ReadyEvent& event) { return event_json(EventKind::kReady, event); }
Json to_json(const AliveEvent& event) { return event_json(EventKind::kAlive, event); }
Json to_json(const EvaluationEvent& event) { return event_json(EventKind::kEvaluation, event); }
Json to_json(const QualityEvent& event) { return event_json(EventKind::kQuality, event); }
Json to_json(const PrunedEvent& event) {
  auto node = event_json(EventKind::kPruned, event);
  if (event.regrown) node["regrown"] = true;
  return node;
}
Json to_json(const DoneEvent& event) { return event_json(EventKind::kDone, event); }
Json to_json(const FailedEvent& event) { return event_json(EventKind::kFailed, event); }

IterationEvent iteration_event_from_json(const Json& node) { return node.get<IterationEvent>(); }
ReadyEvent ready_event_from_json(const Json& node) { return node.get<ReadyEvent>(); }
EvaluationEvent evaluation_event_from_json(const Json& node) { return node.get<EvaluationEvent>(); }
QualityEvent quality_event_from_json(const Json& node) { return node.get<QualityEvent>(); }
PrunedEvent pruned_event_from_json(const Json& node) {
  auto event = node.get<PrunedEvent>();
  event.regrown = node.value("regrown", false);
  return event;
}
DoneEvent done_event_from_json(const Json& node) { return node.get<DoneEvent>(); }

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
