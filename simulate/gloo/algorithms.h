#pragma once

#include <cstdint>
#include <vector>

#include "contract/catalogue/method_exchanges.h"
#include "simulate/gloo/operation.h"

namespace pacbench::simulate {

/// A recorded collective of a profile.
using Call = MethodExchanges::Step;

/// A rank's place in a group.
struct Place {
  int rank = 0;
  int size = 1;
};

/// Each function that returns Operations describes how Gloo (gloo/allreduce.cc and so on) runs a
/// collective, message by message, for the rank at `place`. `call` must outlive the Operations.

/// A ring in two phases, reduce-scatter and all-gather, with two or more segments for each rank.
Operations ring_all_reduce(const Call& call, Place place);

/// A ring that passes each rank's payload on, in two halves.
Operations ring_all_gather(const Call& call, Place place);

/// One message to each other rank, even where it is empty. All are started at once.
Operations direct_all_to_all(const Call& call, Place place);

/// A broadcast down a binomial tree.
Operations tree_broadcast(const Call& call, Place place);

/// A dissemination barrier: in each round a rank sends one message and receives one.
Operations dissemination_barrier(const Call& call, Place place);

/// Messages between the ranks that have elements for each other (c10d's send and recv).
Operations point_to_point(const Call& call, Place place);

/// Calls the function above that describes `call.op`. Throws std::invalid_argument for an unknown
/// name.
Operations operations_of(const Call& call, Place place);

/// Bytes of one element, by the name of its type; 0 for the empty name, which a barrier has. Throws
/// std::invalid_argument for an unknown name.
std::int64_t element_bytes(const std::string& dtype);

}  // namespace pacbench::simulate
