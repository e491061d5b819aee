#pragma once

#include <cstddef>
#include <vector>

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

}  // namespace pacbench::trainer
