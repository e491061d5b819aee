#include "harness/record/gloo_wire.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <stdexcept>

#include "contract/worker/gloo.h"

namespace pacbench::record {
namespace {

constexpr double kByteTolerance = 0.01;

std::int64_t divided_up(std::int64_t value, std::int64_t by) { return (value + by - 1) / by; }

/// Counts the non-empty segments that `rank` sends to `rank` - 1 in Gloo's ring all-reduce. In the
/// reduce-scatter it sends all but its own, whose sum it ends up with. In the all-gather it sends
/// all but those of `rank` - 1.
std::int64_t ring_segments(const CollectiveTrace& call, int rank, int size) {
  const auto bytes = call.payload_bytes;
  const auto segments =
      size *
      divided_up(std::max<std::int64_t>(divided_up(bytes, gloo::kLargestSegmentBytes), 2 * size),
                 size);
  const auto element_bytes = bytes / call.elements;
  const auto segment_bytes = divided_up(divided_up(bytes, segments), element_bytes) * element_bytes;
  const auto filled = divided_up(bytes, segment_bytes);
  const auto of_each = segments / size;
  const auto filled_of = [&](int owner) {
    return std::clamp<std::int64_t>(filled - owner % size * of_each, 0, of_each);
  };
  return 2 * filled - filled_of(rank) - filled_of(rank + size - 1);
}

}  // namespace

GlooMessages gloo_messages(const CollectiveTrace& call, int rank, int workers) {
  const int size = call.group_size.value_or(workers);
  if (size <= 1) return {};
  const auto both = [](std::int64_t messages) { return GlooMessages{messages, messages}; };
  if (call.op == "all_to_all") return both(size - 1);
  // Each round of a barrier reaches twice as many ranks.
  if (call.op == "barrier") return both(std::bit_width(static_cast<unsigned>(size - 1)));
  if (call.op == "send_receive") return {call.sent_bytes > 0 ? 1 : 0, 1};
  if (call.elements == 0) return {};
  if (call.elements < 0 || call.payload_bytes < call.elements) {
    throw std::invalid_argument{
        fmt::format("found {} elements in {} bytes, expected at least one byte for each",
                    call.elements, call.payload_bytes)};
  }
  if (call.op == "all_reduce") {
    // A rank receives what `rank` + 1 sends.
    return {ring_segments(call, rank % size, size), ring_segments(call, (rank + 1) % size, size)};
  }
  if (call.op == "all_gather") return both(2 * (size - 1));
  if (call.op == "broadcast") return {call.sent_bytes / call.payload_bytes, 1};
  throw std::invalid_argument{
      fmt::format("found the collective \"{}\", expected all_gather, all_reduce, all_to_all, "
                  "barrier, broadcast or send_receive",
                  call.op)};
}

std::int64_t gloo_stream_bytes(const IterationEvent& event, int workers) {
  std::int64_t bytes = 0;
  for (const auto& bucket : event.buckets) {
    for (const auto& call : bucket.collectives) {
      const auto messages = gloo_messages(call, event.rank, workers);
      bytes += call.sent_bytes + gloo::kHeaderBytes * (2 * messages.sent + messages.received);
    }
  }
  return bytes;
}

std::optional<int> explained_workers(const Scenario& scenario, const LinkProfile& link) {
  if (!makes_links(scenario) || scenario.backend != "gloo" || !link.loads.empty())
    return std::nullopt;
  return scenario.workers;
}

double WireBytes::tolerance() const {
  return std::max(kByteTolerance * explained, frame) +
         explained / static_cast<double>(std::max<std::int64_t>(iterations, 1));
}

}  // namespace pacbench::record
