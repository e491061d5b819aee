#include "simulate/gloo/algorithms.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include "contract/worker/gloo.h"

namespace pacbench::simulate {
namespace {

Operation send(int peer, std::int64_t bytes) { return {Operation::Kind::kSend, peer, bytes}; }
Operation receive(int peer, std::int64_t bytes) { return {Operation::Kind::kReceive, peer, bytes}; }
Operation await_sent() { return {Operation::Kind::kAwaitSent, 0, 0}; }
Operation await_received() { return {Operation::Kind::kAwaitReceived, 0, 0}; }

/// The segments into which Gloo's ring cuts a payload: equally many for each rank. The last ones
/// may be shorter or empty.
struct RingSegments {
  RingSegments(std::int64_t payload_bytes, std::int64_t of_element, std::int64_t ranks)
      : bytes{payload_bytes} {
    const auto most =
        of_element * std::max<std::int64_t>(gloo::kLargestSegmentBytes / of_element, 1);
    count = rounded_up(std::max((bytes + most - 1) / most, 2 * ranks), ranks);
    of_each = count / ranks;
    size = rounded_up((bytes + count - 1) / count, of_element);
  }

  /// The bytes of a segment; after the last segment the numbers start over with the first.
  std::int64_t bytes_of(std::int64_t number) const {
    return std::clamp<std::int64_t>(bytes - number % count * size, 0, size);
  }

  std::int64_t bytes;        ///< of the whole payload
  std::int64_t count = 0;    ///< of all segments
  std::int64_t of_each = 0;  ///< segments of each rank
  std::int64_t size = 0;     ///< bytes of a full segment

 private:
  static std::int64_t rounded_up(std::int64_t value, std::int64_t to) {
    return (value + to - 1) / to * to;
  }
};

/// A ring in two phases, reduce-scatter and all-gather, with two or more segments for each rank.
Operations ring_all_reduce(const Call& call, Place place) {
  if (call.elements == 0 || place.size == 1) co_return;
  const RingSegments segments{call.payload_bytes, call.payload_bytes / call.elements, place.size};
  const int next = (place.rank + 1) % place.size;
  const int previous = (place.rank + place.size - 1) % place.size;
  const auto rounds = segments.count - segments.of_each;
  // The reduce-scatter begins with the next rank's segments, the all-gather with this rank's.
  for (int owner = place.rank + 1; owner >= place.rank; --owner) {
    const auto first = owner * segments.of_each;
    for (std::int64_t round = 0; round < rounds + 2; ++round) {
      // Two segments are on their way at a time.
      if (round >= 2) {
        if (segments.bytes_of(first + segments.of_each + round - 2) > 0) co_yield await_received();
        if (segments.bytes_of(first + round - 2) > 0) co_yield await_sent();
      }
      if (round >= rounds) continue;
      const auto coming = segments.bytes_of(first + segments.of_each + round);
      const auto going = segments.bytes_of(first + round);
      if (coming > 0) co_yield receive(next, coming);
      if (going > 0) co_yield send(previous, going);
    }
  }
}

/// A ring that passes each rank's payload on, in two halves.
Operations ring_all_gather(const Call& call, Place place) {
  if (call.elements == 0 || place.size == 1) co_return;
  const int next = (place.rank + 1) % place.size;
  const int previous = (place.rank + place.size - 1) % place.size;
  const auto first_half = call.payload_bytes / 2;
  const int messages = 2 * (place.size - 1);
  for (int i = 0; i < messages; ++i) {
    if (i >= 2) {
      co_yield await_sent();
      co_yield await_received();
    }
    const auto bytes = i % 2 == 0 ? first_half : call.payload_bytes - first_half;
    co_yield send(next, bytes);
    co_yield receive(previous, bytes);
  }
  for (int i = 0; i < 2; ++i) {
    co_yield await_sent();
    co_yield await_received();
  }
}

/// The number of elements for rank `owner`: its entry in `counts`. Without counts, `elements` are
/// split into `size` parts, whose sizes differ by at most one.
std::int64_t share(const std::vector<std::int64_t>& counts, std::int64_t elements, int owner,
                   int size) {
  if (!counts.empty()) return counts.at(static_cast<std::size_t>(owner));
  return elements * (owner + 1) / size - elements * owner / size;
}

/// One message to each other rank, even where it is empty. All are started at once.
Operations direct_all_to_all(const Call& call, Place place) {
  const auto each = element_bytes(call.dtype);
  const bool is_even = call.send_counts.empty();
  for (int distance = 1; distance < place.size; ++distance) {
    const int to = (place.rank + distance) % place.size;
    const int from = (place.rank + place.size - distance) % place.size;
    co_yield send(to, each * share(call.send_counts, call.elements, to, place.size));
    // When the parts are even, every rank sends this rank a part of the same size.
    const int owner = is_even ? place.rank : from;
    co_yield receive(from, each * share(call.receive_counts, call.elements, owner, place.size));
  }
  for (int i = 1; i < place.size; ++i) {
    co_yield await_sent();
    co_yield await_received();
  }
}

/// Messages between the ranks that have elements for each other (c10d's send and recv).
Operations point_to_point(const Call& call, Place place) {
  const auto each = element_bytes(call.dtype);
  int sends = 0;
  int receives = 0;
  for (int peer = 0; peer < place.size; ++peer) {
    if (peer == place.rank) continue;
    const auto coming = share(call.receive_counts, 0, peer, place.size);
    const auto going = share(call.send_counts, 0, peer, place.size);
    if (coming > 0) {
      ++receives;
      co_yield receive(peer, each * coming);
    }
    if (going > 0) {
      ++sends;
      co_yield send(peer, each * going);
    }
  }
  while (receives-- > 0) co_yield await_received();
  while (sends-- > 0) co_yield await_sent();
}

/// A broadcast down a binomial tree.
Operations tree_broadcast(const Call& call, Place place) {
  if (call.elements == 0) co_return;
  // The root counts as rank 0.
  const int own = (place.rank + place.size - call.root) % place.size;
  int sends = 0;
  for (int distance = 1; distance < place.size; distance *= 2) {
    // In each round, each rank that holds the payload sends it to one rank that does not.
    if (own >= 2 * distance) continue;
    const int other = own ^ distance;
    if (other >= place.size) continue;
    const int peer = (other + call.root) % place.size;
    if (own < distance) {
      ++sends;
      co_yield send(peer, call.payload_bytes);
    } else {
      co_yield receive(peer, call.payload_bytes);
      co_yield await_received();
    }
  }
  while (sends-- > 0) co_yield await_sent();
}

/// A dissemination barrier: in each round a rank sends one message and receives one.
Operations dissemination_barrier(const Call& /*call*/, Place place) {
  for (int distance = 1; distance < place.size; distance *= 2) {
    co_yield receive((place.rank + place.size - distance) % place.size, 0);
    co_yield send((place.rank + distance) % place.size, 0);
    co_yield await_received();
    co_yield await_sent();
  }
}

using Algorithm = Operations (*)(const Call& call, Place place);

constexpr std::array<std::pair<std::string_view, Algorithm>, 6> kAlgorithms{{
    {"all_reduce", ring_all_reduce},
    {"all_gather", ring_all_gather},
    {"all_to_all", direct_all_to_all},
    {"broadcast", tree_broadcast},
    {"barrier", dissemination_barrier},
    {"send_receive", point_to_point},
}};

}  // namespace

Operations operations_of(const Call& call, Place place) {
  for (const auto& [op, run] : kAlgorithms) {
    if (op == call.op) return run(call, place);
  }
  throw std::invalid_argument{fmt::format(
      "found the collective \"{}\", for which mode simulate has no algorithm of Gloo", call.op)};
}

std::int64_t element_bytes(const std::string& dtype) {
  constexpr std::array<std::pair<std::string_view, std::int64_t>, 8> kTypes{{
      {"", 0},
      {"float32", 4},
      {"float16", 2},
      {"bfloat16", 2},
      {"int8", 1},
      {"uint8", 1},
      {"int32", 4},
      {"int64", 8},
  }};
  for (const auto& [name, bytes] : kTypes) {
    if (name == dtype) return bytes;
  }
  throw std::invalid_argument{
      fmt::format("found elements of type \"{}\", whose size mode simulate does not know", dtype)};
}

}  // namespace pacbench::simulate
