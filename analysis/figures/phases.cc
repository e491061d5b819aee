#include "analysis/figures/phases.h"

#include <algorithm>

#include "harness/record/spans.h"

namespace pacbench::figures {
namespace {

double at_least_0_s(const Span& span) { return std::max(record::length_s(span), 0.0); }

/// The seconds of `window` in which at least one collective was under way.
double wire_within_s(const IterationEvent& event, const Span& window) {
  auto spans = record::wire_spans(event.buckets);
  for (auto& span : spans) {
    span = {std::max(span.start_ns, window.start_ns), std::min(span.end_ns, window.end_ns)};
  }
  return record::covered_s(std::move(spans));
}

}  // namespace

StepPhases step_phases(const IterationEvent& event) {
  StepPhases phases;
  phases.compute_s = at_least_0_s(event.forward) + at_least_0_s(event.backward);
  const auto exposed_s = at_least_0_s(event.exposed);
  phases.exposed_wire_s = wire_within_s(event, event.exposed);
  phases.exposed_encode_s = exposed_s - phases.exposed_wire_s;
  phases.rest_s = at_least_0_s(event.step) - phases.compute_s - exposed_s;
  return phases;
}

}  // namespace pacbench::figures
