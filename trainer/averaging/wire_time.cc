// A rough model of wire time, by which encodings, and Espresso's methods, are compared. No measured
// time comes from it: Espresso's notes and `pacbench costs` call its numbers expected.
#include <algorithm>

#include "trainer/averaging/level_sum.h"

namespace pacbench::trainer {
namespace {

// The time of one message from rank to rank with nothing else under way, including the time that
// threads take to wake up for it.
constexpr double kStepS = 50e-6;
// An all-to-all sends up to N - 1 flows into one link at once, and these take longer than their
// bytes alone would. Measured with seven flows: fp16 by all-to-all and all-gather, against a ring
// with the same bytes (docs/fidelity/pytorch.md).
constexpr double kIncast = 1.4;
// The rate that is assumed where there is no link, as in mode learn.
constexpr double kRateOfNoLinkMbit = 1000;

/// How many times the bytes of one worker's link cross the busiest link in an all-to-all. Links
/// between switches carry all pairs that they separate; a ring in the order of ranks crosses them
/// once.
double all_to_all_load(const LinkFacts& link, int ranks) {
  double most = 1;
  int beyond = 0;
  for (const int group : link.groups) {
    // In a chain, a link separates all groups up to `group` from the rest; around a core, it
    // separates one group.
    beyond = link.topology == "chain3" ? beyond + group : group;
    most = std::max(most, static_cast<double>(beyond) * (ranks - beyond) / (ranks - 1));
  }
  return most;
}

int steps_of(CollectiveKind kind, int ranks) {
  switch (kind) {
    case CollectiveKind::kAllReduce:
      return 2 * (ranks - 1);
    case CollectiveKind::kAllGather:
      return ranks - 1;
    default:
      return 1;
  }
}

}  // namespace

double expected_wire_s(const PlannedCollective& call, int ranks, const LinkFacts& link,
                       double round_trip_s) {
  if (ranks < 2) return 0;
  const double rate_mbit = link.rate_mbit > 0 ? link.rate_mbit : kRateOfNoLinkMbit;
  const double bytes_s = static_cast<double>(sent_bytes(call, 0, ranks)) * 8 / (rate_mbit * 1e6);
  const bool direct = call.kind == CollectiveKind::kAllToAll;
  const double shared = direct ? all_to_all_load(link, ranks) * (ranks > 2 ? kIncast : 1) : 1;
  return bytes_s * shared + steps_of(call.kind, ranks) * (kStepS + round_trip_s);
}

}  // namespace pacbench::trainer
