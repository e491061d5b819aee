#include "harness/export/iteration_slices.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace pacbench {
namespace {

/// The slices of one track in one span, added so that they nest whatever was recorded: each begins
/// where the one before ended, and none outlives what holds them all.
class Nest {
 public:
  Nest(std::vector<Slice>& slices, Slice outer) : slices_{&slices}, outer_{outer.span} {
    outer_.end_ns = std::max(outer_.end_ns, outer_.start_ns);
    outer.span = outer_;
    track_ = outer.track;
    end_ns_ = outer_.start_ns;
    slices.push_back(std::move(outer));
  }

  /// Leaves out what took no time.
  void add(const char* category, std::string name, Span span, Json args = Json::object()) {
    span.start_ns = std::clamp(span.start_ns, end_ns_, outer_.end_ns);
    span.end_ns = std::min(span.end_ns, outer_.end_ns);
    if (span.end_ns <= span.start_ns) return;
    end_ns_ = span.end_ns;
    slices_->push_back({track_, category, std::move(name), span, std::move(args)});
  }

  std::int64_t end_ns() const { return end_ns_; }

 private:
  std::vector<Slice>* slices_;
  Span outer_;
  int track_ = 0;
  std::int64_t end_ns_ = 0;
};

void add_training(std::vector<Slice>& slices, const IterationEvent& event) {
  Nest nest{slices,
            {0,
             "compute",
             fmt::format("iteration {}", event.iteration),
             event.step,
             {{"iteration", event.iteration}, {"loss", event.loss}}}};
  nest.add("compute", "forward", event.forward);
  nest.add("compute", "backward", event.backward);
  nest.add("wait", "wait", event.exposed);
  nest.add("compute", "optimizer", event.optimizer);
}

Json args_of(const CollectiveTrace& collective) {
  return {{"dtype", collective.dtype},
          {"elements", collective.elements},
          {"payload_bytes", collective.payload_bytes},
          {"sent_bytes", collective.sent_bytes}};
}

void add_exchange(std::vector<Slice>& slices, const BucketTrace& bucket) {
  auto args = bucket.notes;
  args["elements"] = bucket.elements;
  Nest nest{slices,
            {1 + bucket.index, "exchange", fmt::format("bucket {}", bucket.index), bucket.exchange,
             std::move(args)}};
  // A method awaits each of its collectives before the next.
  const char* before = "encode";
  for (const auto& collective : bucket.collectives) {
    nest.add("encode", before, {nest.end_ns(), collective.ready_ns});
    nest.add("queue", "queue", {collective.ready_ns, collective.wire.start_ns});
    nest.add("wire", collective.op, collective.wire, args_of(collective));
    before = "decode, encode";
  }
  const bool nothing_sent = bucket.collectives.empty();
  nest.add(nothing_sent ? "encode" : "decode", nothing_sent ? "encode" : "decode",
           {nest.end_ns(), bucket.exchange.end_ns});
}

}  // namespace

std::vector<Slice> iteration_slices(const IterationEvent& event) {
  std::vector<Slice> slices;
  add_training(slices, event);
  for (const auto& bucket : event.buckets) add_exchange(slices, bucket);
  return slices;
}

std::vector<Backlog> backlog(const IterationEvent& event) {
  std::map<std::int64_t, std::int64_t> changes;
  for (const auto& bucket : event.buckets) {
    for (const auto& collective : bucket.collectives) {
      changes[collective.ready_ns] += collective.sent_bytes;
      changes[collective.wire.end_ns] -= collective.sent_bytes;
    }
  }
  std::vector<Backlog> values;
  std::int64_t bytes = 0;
  for (const auto& [at_ns, change] : changes) {
    bytes += change;
    values.push_back({at_ns, bytes});
  }
  return values;
}

}  // namespace pacbench
