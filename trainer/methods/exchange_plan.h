#pragma once

#include <cstddef>
#include <vector>

namespace pacbench::trainer {

/// The cost of one way of averaging one bucket, in seconds: computing before its first collective,
/// the wire, and computing after that.
struct ExchangeTimes {
  double encode_s = 0;
  double wire_s = 0;
  double decode_s = 0;
};

/// When a bucket is handed over, in seconds since the first one was, and what each of the ways that
/// there are would cost.
struct BucketTimes {
  double ready_s = 0;
  std::vector<ExchangeTimes> ways;
};

/// For each bucket the number of its way.
using ExchangePlan = std::vector<std::size_t>;

/// When the last mean is there, in seconds since the first bucket was handed over. Buckets are
/// encoded one after another, as they are handed over; the link carries one at a time, and they are
/// decoded one after another.
double finish_s(const std::vector<BucketTimes>& buckets, const ExchangePlan& plan);

/// The plan with the earliest finish; of equal ones the one that leaves most buckets the first way.
/// Of all ways to begin, those are kept that no other one surpasses, so that it is exact while they
/// are at most 500; beyond that the 500 that end first are kept. Without buckets: an empty plan.
ExchangePlan fastest_plan(const std::vector<BucketTimes>& buckets);

}  // namespace pacbench::trainer
