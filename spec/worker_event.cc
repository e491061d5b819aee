#include "spec/worker_event.h"

namespace pacbench {
namespace {

Json to_json(const Span& span) { return {span.start_ns, span.end_ns}; }

Span span_from_json(const Json& node) { return {node.at(0), node.at(1)}; }

Json to_json(const CollectiveTrace& trace) {
  Json node{{"op", trace.op},
            {"dtype", trace.dtype},
            {"elements", trace.elements},
            {"payload_bytes", trace.payload_bytes},
            {"sent_bytes", trace.sent_bytes},
            {"ready_ns", trace.ready_ns},
            {"wire", to_json(trace.wire)}};
  if (trace.group_size) node["group_size"] = *trace.group_size;
  return node;
}

CollectiveTrace collective_from_json(const Json& node) {
  CollectiveTrace trace{node.at("op"),
                        node.at("dtype"),
                        node.at("elements"),
                        node.at("payload_bytes"),
                        node.at("sent_bytes"),
                        node.at("ready_ns"),
                        span_from_json(node.at("wire"))};
  if (node.contains("group_size")) trace.group_size = node.at("group_size").get<int>();
  return trace;
}

Json to_json(const BucketTrace& bucket) {
  Json collectives = Json::array();
  for (const auto& collective : bucket.collectives) collectives.push_back(to_json(collective));
  Json node{{"index", bucket.index},
            {"elements", bucket.elements},
            {"exchange", to_json(bucket.exchange)},
            {"collectives", collectives}};
  if (!bucket.notes.empty()) node["notes"] = bucket.notes;
  return node;
}

BucketTrace bucket_from_json(const Json& node) {
  BucketTrace bucket{node.at("index"),
                     node.at("elements"),
                     span_from_json(node.at("exchange")),
                     {},
                     node.value("notes", Json::object())};
  for (const auto& collective : node.at("collectives")) {
    bucket.collectives.push_back(collective_from_json(collective));
  }
  return bucket;
}

Json to_json(const LinkTraffic& traffic) {
  return {
      {"sent_bytes", traffic.sent_bytes},           {"sent_packets", traffic.sent_packets},
      {"received_bytes", traffic.received_bytes},   {"received_packets", traffic.received_packets},
      {"dropped_packets", traffic.dropped_packets}, {"retransmits", traffic.retransmits}};
}

LinkTraffic traffic_from_json(const Json& node) {
  return {node.at("sent_bytes"),       node.at("sent_packets"),    node.at("received_bytes"),
          node.at("received_packets"), node.at("dropped_packets"), node.at("retransmits")};
}

}  // namespace

Json to_json(const IterationEvent& event) {
  Json buckets = Json::array();
  for (const auto& bucket : event.buckets) buckets.push_back(to_json(bucket));
  return {{"event", "iteration"},
          {"rank", event.rank},
          {"iteration", event.iteration},
          {"step", to_json(event.step)},
          {"forward", to_json(event.forward)},
          {"backward", to_json(event.backward)},
          {"exposed", to_json(event.exposed)},
          {"optimizer", to_json(event.optimizer)},
          {"training_s", event.training_s},
          {"loss", event.loss},
          {"expected_sent_bytes", event.expected_sent_bytes},
          {"buckets", buckets},
          {"traffic", to_json(event.traffic)}};
}

IterationEvent iteration_event_from_json(const Json& node) {
  IterationEvent event;
  event.rank = node.at("rank");
  event.iteration = node.at("iteration");
  event.step = span_from_json(node.at("step"));
  event.forward = span_from_json(node.at("forward"));
  event.backward = span_from_json(node.at("backward"));
  event.exposed = span_from_json(node.at("exposed"));
  event.optimizer = span_from_json(node.at("optimizer"));
  event.training_s = node.at("training_s");
  event.loss = node.at("loss");
  event.expected_sent_bytes = node.at("expected_sent_bytes");
  for (const auto& bucket : node.at("buckets")) event.buckets.push_back(bucket_from_json(bucket));
  event.traffic = traffic_from_json(node.at("traffic"));
  return event;
}

Json to_json(const ReadyEvent& event) {
  return {{"event", "ready"},
          {"rank", event.rank},
          {"parameters", event.parameters},
          {"bucket_elements", event.bucket_elements},
          {"compute_threads", event.compute_threads},
          {"real_time", event.real_time},
          {"scheduling_floor_ms", event.scheduling_floor_ms},
          {"resident_bytes", event.resident_bytes},
          {"iteration", event.iteration}};
}

ReadyEvent ready_event_from_json(const Json& node) {
  return {node.at("rank"),
          node.at("parameters"),
          node.at("bucket_elements").get<std::vector<std::int64_t>>(),
          node.at("compute_threads"),
          node.at("real_time"),
          node.at("scheduling_floor_ms"),
          node.at("resident_bytes"),
          node.value("iteration", std::int64_t{0})};
}

Json to_json(const AliveEvent& event) { return {{"event", "alive"}, {"rank", event.rank}}; }

Json to_json(const EvaluationEvent& event) {
  return {{"event", "evaluation"},
          {"iteration", event.iteration},
          {"training_s", event.training_s},
          {"accuracy", event.accuracy},
          {"loss", event.loss}};
}

EvaluationEvent evaluation_event_from_json(const Json& node) {
  return {node.at("iteration"), node.at("training_s"), node.at("accuracy"), node.at("loss")};
}

double surplus(const EvaluationEvent& evaluation, const Target& target) {
  return target.metric == kLoss ? target.value - evaluation.loss
                                : evaluation.accuracy - target.value;
}

bool reaches(const EvaluationEvent& evaluation, const Target& target) {
  return surplus(evaluation, target) >= 0;
}

Json to_json(const QualityEvent& event) {
  Json layers = Json::array();
  for (const auto& layer : event.layers) {
    layers.push_back({{"name", layer.name}, {"vnmse", layer.vnmse}});
  }
  return {{"event", "quality"},
          {"iteration", event.iteration},
          {"vnmse", event.vnmse},
          {"cosine", event.cosine},
          {"mean_norm", event.mean_norm},
          {"density", event.density ? Json(*event.density) : Json{}},
          {"residual_norm", event.residual_norm ? Json(*event.residual_norm) : Json{}},
          {"layers", layers}};
}

QualityEvent quality_event_from_json(const Json& node) {
  QualityEvent event;
  event.iteration = node.at("iteration");
  event.vnmse = node.at("vnmse");
  event.cosine = node.at("cosine");
  event.mean_norm = node.at("mean_norm");
  if (node.contains("density") && !node.at("density").is_null()) event.density = node.at("density");
  if (const auto& norm = node.at("residual_norm"); !norm.is_null()) event.residual_norm = norm;
  for (const auto& layer : node.at("layers")) {
    event.layers.push_back({layer.at("name"), layer.at("vnmse")});
  }
  return event;
}

Json to_json(const PrunedEvent& event) {
  return {{"event", "pruned"},
          {"iteration", event.iteration},
          {"training_s", event.training_s},
          {"seconds", event.seconds},
          {"kept_fraction", event.kept_fraction},
          {"mask_sample", event.mask_sample}};
}

PrunedEvent pruned_event_from_json(const Json& node) {
  return {node.at("iteration"), node.at("training_s"), node.at("seconds"), node.at("kept_fraction"),
          node.at("mask_sample")};
}

Json to_json(const DoneEvent& event) {
  return {{"event", "done"},
          {"rank", event.rank},
          {"iterations", event.iterations},
          {"training_s", event.training_s},
          {"pruning_s", event.pruning_s},
          {"preparation", to_json(event.preparation)},
          {"kept_fraction", event.kept_fraction},
          {"peak_resident_bytes", event.peak_resident_bytes}};
}

DoneEvent done_event_from_json(const Json& node) {
  return {node.at("rank"),
          node.at("iterations"),
          node.at("training_s"),
          node.at("pruning_s"),
          traffic_from_json(node.at("preparation")),
          node.at("kept_fraction"),
          node.at("peak_resident_bytes")};
}

Json to_json(const FailedEvent& event) {
  return {{"event", "failed"},
          {"rank", event.rank},
          {"iteration", event.iteration},
          {"message", event.message},
          {"diverged", event.diverged}};
}

FailedEvent failed_event_from_json(const Json& node) {
  FailedEvent event{node.at("rank"), node.at("iteration"), node.at("message")};
  // Lines of 0.2.0 and before do not say. What ranks gave up for while training was divergence.
  event.diverged = node.value("diverged", event.iteration > 0);
  return event;
}

}  // namespace pacbench
