#include "simulate/gloo/algorithms.h"

namespace pacbench::simulate {

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

Operations dissemination_barrier(const Call& /*call*/, Place place) {
  for (int distance = 1; distance < place.size; distance *= 2) {
    co_yield receive((place.rank + place.size - distance) % place.size, 0);
    co_yield send((place.rank + distance) % place.size, 0);
    co_yield await_received();
    co_yield await_sent();
  }
}

}  // namespace pacbench::simulate
