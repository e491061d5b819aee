#include "simulate/gloo/algorithms.h"
#include "simulate/gloo/ring_segments.h"

namespace pacbench::simulate {

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

}  // namespace pacbench::simulate
