#include "harness/record/spans.h"

#include <algorithm>
#include <limits>

#include "base/clock.h"

namespace pacbench::record {
namespace {

/// The phases of one thread or bucket, within `outer`.
class Track {
 public:
  Track(std::vector<Phase>& phases, int bucket, const Span& outer)
      : phases_{&phases},
        bucket_{bucket},
        now_ns_{outer.start_ns},
        end_ns_{std::max(outer.start_ns, outer.end_ns)} {}

  void add(const char* kind, Span time, const CollectiveTrace* collective = nullptr) {
    time.start_ns = std::clamp(time.start_ns, now_ns_, end_ns_);
    time.end_ns = std::min(time.end_ns, end_ns_);
    if (time.end_ns <= time.start_ns) return;
    now_ns_ = time.end_ns;
    phases_->push_back({kind, bucket_, time, collective});
  }

  /// Adds a phase that starts where the one before ended.
  void add_until(const char* kind, std::int64_t end_ns) { add(kind, {now_ns_, end_ns}); }

 private:
  std::vector<Phase>* phases_;
  int bucket_;
  std::int64_t now_ns_;
  std::int64_t end_ns_;
};

void add_bucket(const BucketTrace& bucket, std::vector<Phase>& phases) {
  Track track{phases, bucket.index, bucket.exchange};
  // The exchange of another bucket does this bucket's work, so this one only waits.
  if (bucket.notes.contains("averaged_with")) return track.add("queue", bucket.exchange);
  // Within one bucket's exchange each collective ends before the next one is called.
  for (const auto& collective : bucket.collectives) {
    track.add_until("encode", collective.ready_ns);
    track.add("queue", {collective.ready_ns, collective.wire.start_ns});
    track.add("wire", collective.wire, &collective);
  }
  track.add_until(bucket.collectives.empty() ? "encode" : "decode", bucket.exchange.end_ns);
}

}  // namespace

double length_s(const Span& span) { return seconds(span.end_ns - span.start_ns); }

double covered_s(std::vector<Span> spans) {
  std::ranges::sort(spans, {}, &Span::start_ns);
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

std::vector<Phase> iteration_phases(const IterationEvent& event) {
  std::vector<Phase> phases;
  Track thread{phases, -1, event.step};
  thread.add("forward", event.forward);
  thread.add("backward", event.backward);
  thread.add("wait", event.exposed);
  thread.add("optimizer", event.optimizer);
  for (const auto& bucket : event.buckets) add_bucket(bucket, phases);
  return phases;
}

}  // namespace pacbench::record
