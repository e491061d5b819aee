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

/// When a bucket is handed over, in seconds since the first one was, and what each way of averaging
/// it would cost.
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

/// The plan with the earliest finish; of equal ones, the one in which most buckets have the first
/// way. The search extends beginnings of plans by one bucket at a time, and drops those that
/// another beginning equals or betters. The result is exact while at most 500 are left; of more,
/// only the 500 that end first are kept. Without buckets the plan is empty.
ExchangePlan fastest_plan(const std::vector<BucketTimes>& buckets);

}  // namespace pacbench::trainer
