#include "harness/figures/phases.h"

#include <algorithm>

#include "base/clock.h"

namespace pacbench {
namespace {

double length_s(const Span& span) {
  return seconds(std::max<std::int64_t>(span.end_ns - span.start_ns, 0));
}

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
  std::vector<Span> spans;
  for (const auto& bucket : event.buckets) {
    for (const auto& collective : bucket.collectives) spans.push_back(collective.wire);
  }
  std::sort(spans.begin(), spans.end(),
            [](const Span& one, const Span& other) { return one.start_ns < other.start_ns; });
  double covered_s = 0;
  auto until_ns = window.start_ns;
  for (const auto& span : spans) {
    const Span part{std::max(span.start_ns, until_ns), std::min(span.end_ns, window.end_ns)};
    covered_s += length_s(part);
    until_ns = std::max(until_ns, part.end_ns);
  }
  return covered_s;
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
  phases.compute_s = length_s(event.forward) + length_s(event.backward);
  const auto exposed_s = length_s(event.exposed);
  phases.exposed_wire_s = wire_within_s(event, event.exposed);
  phases.exposed_encode_s = exposed_s - phases.exposed_wire_s;
  phases.rest_s = length_s(event.step) - phases.compute_s - exposed_s;
  return phases;
}

}  // namespace pacbench
