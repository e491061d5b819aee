#include "trainer/compose/settled_exchanges.h"

#include <gmock/gmock.h>

namespace pacbench::trainer {
namespace {

using ::testing::DoubleEq;
using ::testing::SizeIs;

constexpr std::int64_t kMs = 1'000'000;

/// A bucket that is handed over at 100 ms, with a collective for each number of elements. Before
/// each there are `work_ms` of work, then 5 ms on the wire; after the last there are 2 ms of work.
BucketTrace trace_of(std::int64_t work_ms, const std::vector<std::int64_t>& elements) {
  BucketTrace trace;
  trace.elements = 50;
  auto now_ns = 100 * kMs;
  trace.exchange.start_ns = now_ns;
  for (const auto count : elements) {
    const auto ready_ns = now_ns + work_ms * kMs;
    // Each collective is issued a nanosecond after it is ready, which is neither work nor wire.
    now_ns = ready_ns + 5 * kMs;
    trace.collectives.push_back(
        {"all_reduce", "float16", count, 2 * count, 3 * count, ready_ns, {ready_ns + 1, now_ns}});
  }
  trace.exchange.end_ns = now_ns + 2 * kMs;
  return trace;
}

BucketTrace nothing() { return trace_of(0, {}); }

MethodExchanges settled(const std::vector<BucketTrace>& first_bucket) {
  std::vector<std::vector<BucketTrace>> iterations;
  for (const auto& trace : first_bucket) iterations.push_back({trace, nothing()});
  return settled_exchanges(iterations);
}

TEST(SettledExchanges, TakeMediansOfTheWorkBeforeAndAfterCollectives) {
  const auto found =
      settled({trace_of(90, {9}), trace_of(90, {9}), trace_of(90, {9}), trace_of(4, {10, 20}),
               trace_of(80, {10, 20}), trace_of(6, {10, 20})});
  ASSERT_THAT(found.buckets, SizeIs(1));
  const auto& bucket = found.buckets[0];
  EXPECT_EQ(bucket.elements, 50);
  ASSERT_THAT(bucket.steps, SizeIs(2));
  EXPECT_THAT(bucket.steps[0].work_ms, DoubleEq(6));
  EXPECT_THAT(bucket.steps[1].work_ms, DoubleEq(6));
  EXPECT_EQ(bucket.steps[1].op, "all_reduce");
  EXPECT_EQ(bucket.steps[1].dtype, "float16");
  EXPECT_EQ(bucket.steps[1].elements, 20);
  EXPECT_EQ(bucket.steps[1].payload_bytes, 40);
  EXPECT_THAT(bucket.end_ms, DoubleEq(2));
  EXPECT_EQ(found.iterations, 3);
  EXPECT_THAT(found.beside.steps, SizeIs(0));
  EXPECT_THAT(found.beside.end_ms, DoubleEq(2));
}

TEST(SettledExchanges, LeaveOutWhatAMethodDoesNowAndThen) {
  const auto usual = trace_of(4, {10});
  const auto checked = trace_of(4, {2, 10});
  const auto found = settled({checked, usual, usual, usual, usual, checked});
  EXPECT_THAT(found.buckets[0].steps, SizeIs(1)) << "although the last one was checked";
  EXPECT_EQ(found.iterations, 2);
}

TEST(SettledExchanges, AreThoseOfTheSecondHalfAndTheLatestWhereTwoKindsAreAsFrequent) {
  const auto dense = trace_of(4, {50});
  const auto compacted = trace_of(4, {25});
  for (const auto& traces : {std::vector{dense, dense, dense, compacted, compacted},
                             std::vector{nothing(), nothing(), dense, compacted}}) {
    EXPECT_EQ(settled(traces).buckets[0].steps[0].elements, 25);
  }
}

TEST(SettledExchanges, NeedIterations) { EXPECT_THROW(settled({}), std::invalid_argument); }

}  // namespace
}  // namespace pacbench::trainer
