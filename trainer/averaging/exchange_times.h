#pragma once

#include <cstddef>
#include <vector>

#include "contract/network/link_facts.h"
#include "trainer/collectives/group.h"

namespace pacbench::trainer {

/// The cost of one way of averaging one bucket, in seconds: computing before the bucket's first
/// collective, its collectives on the wire, and computing after the first collective.
struct ExchangeTimes {
  double encode_s = 0;
  double wire_s = 0;
  double decode_s = 0;
};

/// The time at which a bucket is handed over, in seconds since the first bucket's, and the cost of
/// each way of averaging it.
struct BucketTimes {
  double ready_s = 0;
  std::vector<ExchangeTimes> ways;
};

/// The number of each bucket's way.
using ExchangePlan = std::vector<std::size_t>;

/// The time at which the last bucket is decoded, in seconds since the first bucket was handed over.
/// Buckets are encoded one after another, as they are handed over. The link carries one at a time,
/// and they are decoded one after another.
double finish_s(const std::vector<BucketTimes>& buckets, const ExchangePlan& plan);

/// The plan with the earliest finish; of equal plans, the one in which most buckets have the first
/// way. The search extends partial plans by one bucket at a time, and drops each that another
/// equals or betters. The result is exact while at most 500 partial plans are left; of more, only
/// the 500 that end first are kept. Without buckets the plan is empty.
ExchangePlan fastest_plan(const std::vector<BucketTimes>& buckets);

/// Expected seconds on the wire of one collective over links of a topology. Bytes take their time
/// at the link's rate, longer where flows share a link. Each message has a latency, and waits for a
/// round trip of the links, since Gloo's receiver agrees to it first.
double expected_wire_s(const PlannedCollective& call, int ranks, const LinkFacts& link,
                       double round_trip_s = 0);

/// Seconds on the wire of the calls that this rank takes part in, computed from the link's rate.
double expected_wire_s(const PlannedCalls& calls, const Group& group, const LinkFacts& link);

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
