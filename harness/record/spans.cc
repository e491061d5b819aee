#include "harness/record/spans.h"

#include <algorithm>
#include <limits>

#include "base/clock.h"

namespace pacbench::record {

double length_s(const Span& span) { return seconds(span.end_ns - span.start_ns); }

double covered_s(std::vector<Span> spans) {
  std::sort(spans.begin(), spans.end(),
            [](const Span& one, const Span& other) { return one.start_ns < other.start_ns; });
  std::int64_t covered_ns = 0;
  std::int64_t until_ns = std::numeric_limits<std::int64_t>::min();
  for (const auto& span : spans) {
    const auto start_ns = std::max(span.start_ns, until_ns);
    covered_ns += std::max<std::int64_t>(span.end_ns - start_ns, 0);
    until_ns = std::max(until_ns, span.end_ns);
  }
  return seconds(covered_ns);
}

double uncovered_s(const std::vector<Span>& late, const std::vector<Span>& busy) {
  auto both = late;
  both.insert(both.end(), busy.begin(), busy.end());
  return covered_s(both) - covered_s(busy);
}

std::vector<Span> wire_spans(const std::vector<BucketTrace>& buckets) {
  std::vector<Span> spans;
  for (const auto& bucket : buckets) {
    for (const auto& collective : bucket.collectives) spans.push_back(collective.wire);
  }
  return spans;
}

}  // namespace pacbench::record
