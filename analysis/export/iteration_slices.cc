#include "analysis/export/iteration_slices.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "harness/record/iteration_phases.h"

namespace pacbench::exports {
namespace {

Json args_of(const CollectiveTrace& collective) {
  return {{"dtype", collective.dtype},
          {"elements", collective.elements},
          {"payload_bytes", collective.payload_bytes},
          {"sent_bytes", collective.sent_bytes}};
}

/// The slice around the phases of a track. A span that ends before it begins gets length 0.
Slice holder(int track, const char* category, std::string name, Span span, Json args) {
  span.end_ns = std::max(span.end_ns, span.start_ns);
  return {track, category, std::move(name), span, std::move(args)};
}

std::vector<Slice> holders(const IterationEvent& event) {
  std::vector<Slice> slices{holder(0, "compute", fmt::format("iteration {}", event.iteration),
                                   event.step,
                                   {{"iteration", event.iteration}, {"loss", event.loss}})};
  for (const auto& bucket : event.buckets) {
    auto args = bucket.notes;
    args["elements"] = bucket.elements;
    slices.push_back(holder(1 + bucket.index, "exchange", fmt::format("bucket {}", bucket.index),
                            bucket.exchange, std::move(args)));
  }
  return slices;
}

Slice slice_of(const record::Phase& phase, bool after_collective) {
  const std::string_view kind{phase.kind};
  Slice slice{1 + phase.bucket, phase.kind, phase.kind, phase.time};
  if (phase.bucket < 0 && kind != "wait") slice.category = "compute";
  if (phase.collective != nullptr) {
    slice.name = phase.collective->op;
    slice.args = args_of(*phase.collective);
  } else if (kind == "encode" && after_collective) {
    slice.name = "decode, encode";
  }
  return slice;
}

}  // namespace

std::vector<Slice> iteration_slices(const IterationEvent& event) {
  auto slices = holders(event);
  std::set<int> sent;
  for (const auto& phase : record::iteration_phases(event)) {
    slices.push_back(slice_of(phase, sent.contains(phase.bucket)));
    if (phase.collective != nullptr) sent.insert(phase.bucket);
  }
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

}  // namespace pacbench::exports
