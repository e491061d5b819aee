#include "simulate/gloo/algorithms.h"

namespace pacbench::simulate {

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

}  // namespace pacbench::simulate
