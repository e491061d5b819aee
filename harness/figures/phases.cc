#include "harness/figures/phases.h"

#include <algorithm>

#include "harness/cell/spans.h"

namespace pacbench {
namespace {

double at_least_0_s(const Span& span) { return std::max(length_s(span), 0.0); }

void add_bucket(const BucketTrace& bucket, std::vector<TimelineSpan>& spans) {
  auto from_ns = bucket.exchange.start_ns;
  for (const auto& collective : bucket.collectives) {
    spans.push_back({"encode", bucket.index, {from_ns, collective.ready_ns}});
    spans.push_back({"queue", bucket.index, {collective.ready_ns, collective.wire.start_ns}});
    spans.push_back({"wire", bucket.index, collective.wire});
    from_ns = collective.wire.end_ns;
  }
  spans.push_back({"decode", bucket.index, {from_ns, bucket.exchange.end_ns}});
}

/// How much of `window` at least one collective was under way.
double wire_within_s(const IterationEvent& event, const Span& window) {
  auto spans = wire_spans(event.buckets);
  for (auto& span : spans) {
    span = {std::max(span.start_ns, window.start_ns), std::min(span.end_ns, window.end_ns)};
  }
  return covered_s(std::move(spans));
}

}  // namespace

std::vector<TimelineSpan> timeline_of(const IterationEvent& event) {
  std::vector<TimelineSpan> spans{{"forward", -1, event.forward},
                                  {"backward", -1, event.backward},
                                  {"wait", -1, event.exposed},
                                  {"optimizer", -1, event.optimizer}};
  for (const auto& bucket : event.buckets) add_bucket(bucket, spans);
  std::erase_if(spans,
                [](const TimelineSpan& span) { return span.time.end_ns <= span.time.start_ns; });
  return spans;
}

StepPhases step_phases(const IterationEvent& event) {
  StepPhases phases;
  phases.compute_s = at_least_0_s(event.forward) + at_least_0_s(event.backward);
  const auto exposed_s = at_least_0_s(event.exposed);
  phases.exposed_wire_s = wire_within_s(event, event.exposed);
  phases.exposed_encode_s = exposed_s - phases.exposed_wire_s;
  phases.rest_s = at_least_0_s(event.step) - phases.compute_s - exposed_s;
  return phases;
}

}  // namespace pacbench
