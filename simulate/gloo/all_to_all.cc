#include "simulate/gloo/algorithms.h"

namespace pacbench::simulate {
namespace {

/// The number of elements for rank `owner`: its entry in `counts`. Without counts, `elements` are
/// split into `size` parts, whose sizes differ by at most one.
std::int64_t share(const std::vector<std::int64_t>& counts, std::int64_t elements, int owner,
                   int size) {
  if (!counts.empty()) return counts.at(static_cast<std::size_t>(owner));
  return elements * (owner + 1) / size - elements * owner / size;
}

}  // namespace

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

}  // namespace pacbench::simulate
