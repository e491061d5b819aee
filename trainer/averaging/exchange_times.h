#pragma once

#include <cstdint>
#include <vector>

#include "contract/network/link_facts.h"
#include "trainer/averaging/exchange_plan.h"
#include "trainer/collectives/group.h"

namespace pacbench::trainer {

/// Seconds on the wire of the calls that this rank takes part in, computed from the link's rate.
double expected_wire_s(const std::vector<PlannedCollective>& calls, const Group& group,
                       const LinkFacts& link);

/// The costs of exchanging each bucket in each of several ways: as this rank found them, and after
/// agree() the largest of all ranks.
class ExchangeTimings {
 public:
  ExchangeTimings() = default;
  ExchangeTimings(std::size_t buckets, std::size_t ways);

  /// Records one exchange. Of several exchanges of one bucket and way the shortest times count,
  /// since a machine's other work makes times longer, never shorter.
  void take(int bucket, std::size_t way, double ready_s, const ExchangeTimes& cost);

  /// Takes the largest value of all ranks for each number, in one all-reduce, since a collective
  /// waits for the last rank.
  Task<> agree(Group& group);
  PlannedCollective agreement() const;

  const std::vector<BucketTimes>& buckets() const { return buckets_; }

 private:
  std::vector<double*> numbers();

  std::vector<BucketTimes> buckets_;
};

}  // namespace pacbench::trainer
