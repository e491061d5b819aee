#include "harness/record/sleeps.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "contract/scenario/scenario.h"
#include "harness/record/spans.h"
#include "tests/unit/contract/example_profile.h"

namespace pacbench::record {
namespace {

constexpr std::int64_t kMs = 1'000'000;

/// A scenario with a forward pass of 10 ms, buckets ready 5 and 20 ms later, and 2 ms of optimiser.
Scenario scenario() {
  Scenario scenario;
  scenario.mode = Mode::kCompose;
  scenario.workers = 8;
  scenario.compose.emplace();
  scenario.compose->profile.iterations = {{10, {5, 20}, 2, 0}};
  return scenario;
}

/// The scenario with replayed exchanges. In example_exchanges() the two buckets work for 2 and 4 ms
/// before an all-gather and for 1 and 3 ms after it. 0.5 ms of work comes after all buckets.
Scenario replaying(const Json& exchanges = testing::example_exchanges()) {
  auto replayed = scenario();
  replayed.workers = exchanges.at("workers");
  auto document = testing::example_profile();
  document["exchanges"] = Json::array({exchanges});
  replayed.compose->profile.exchanges = profile_from_json("p.json", document).exchanges;
  replayed.compose->exchange = "profile";
  return replayed;
}

plan::Cell cell() {
  plan::Cell cell;
  cell.method = {"topk-0.01", {"topk", {{"ratio", 0.01}}}};
  cell.seed = 1;
  return cell;
}

Span span(double start_ms, double end_ms) {
  return {static_cast<std::int64_t>(start_ms * kMs), static_cast<std::int64_t>(end_ms * kMs)};
}

/// A bucket with one collective, which goes to the wire as soon as it is handed over.
BucketTrace bucket(int index, Span exchange, Span wire) {
  BucketTrace trace;
  trace.index = index;
  trace.exchange = exchange;
  trace.collectives = {{"all_gather", "int32", 20, 80, 560, wire.start_ns, wire}};
  return trace;
}
BucketTrace bucket(int index, Span both) { return bucket(index, both, both); }

/// An iteration that is on time in all of its parts.
IterationEvent on_time() {
  IterationEvent event;
  event.rank = 0;
  event.iteration = 1;
  event.forward = span(0, 10);
  event.backward = span(10, 30);
  event.exposed = span(30, 100);
  event.optimizer = span(100, 102);
  event.buckets = {bucket(0, span(15, 50)), bucket(1, span(30, 100), span(50, 100))};
  return event;
}

double late_ms(const Sleeps& sleeps, const IterationEvent& event) {
  return 1000 * uncovered_s(sleeps.late(event), wire_spans(event.buckets));
}

double late_ms(const Scenario& scenario, const IterationEvent& event) {
  return late_ms(Sleeps{scenario, cell()}, event);
}

/// The same of an iteration whose buckets alone may be late.
double late_ms(const std::vector<BucketTrace>& buckets) {
  auto event = on_time();
  event.buckets = buckets;
  return late_ms(scenario(), event);
}

TEST(Sleeps, InThePlaceOfForwardAreLateByWhatTheyTookBeyondTheProfile) {
  auto event = on_time();
  EXPECT_EQ(late_ms(scenario(), event), 0);
  event.forward = span(0, 13);
  event.backward = span(13, 33);
  event.buckets = {bucket(0, span(18, 50)), bucket(1, span(33, 100), span(50, 100))};
  EXPECT_NEAR(late_ms(scenario(), event), 3, 1e-9);
}

TEST(Sleeps, UntilABucketIsReadyAreLateWhileNothingIsOnTheWire) {
  const auto first = bucket(0, span(15, 50));
  const auto second = bucket(1, span(30, 100), span(50, 100));
  EXPECT_NEAR(late_ms({bucket(0, span(22, 50)), second}), 7, 1e-9);
  EXPECT_EQ(late_ms({first, bucket(1, span(48, 100), span(50, 100))}), 0);
  EXPECT_NEAR(late_ms({first, bucket(1, span(58, 100))}), 8, 1e-9)
      << "from when the first had ended";
  const auto late = bucket(1, span(36, 100), span(60, 100));
  EXPECT_NEAR(late_ms({bucket(0, span(35, 60)), late}), 20, 1e-9) << "late at the same time";
  EXPECT_THROW(late_ms({first, second, bucket(7, span(30, 100))}), ProtocolError)
      << "a bucket that the profile lacks";
}

TEST(Sleeps, OfAMethodThatTakesTheWholeModelEndWithTheLastBucketAndAreNoneWhereItEncodesForReal) {
  EXPECT_EQ(late_ms({bucket(0, span(30, 100))}), 0);
  EXPECT_NEAR(late_ms({bucket(0, span(34, 100))}), 4, 1e-9);
  const auto second = bucket(1, span(30, 100), span(60, 90));
  EXPECT_EQ(late_ms({bucket(0, span(15, 50), span(29, 50)), second}), 0);
}

TEST(Sleeps, OfASlowWorkerAreAsMuchLonger) {
  auto slow = scenario();
  slow.slow_workers = {{0, 2}};
  auto event = on_time();
  event.forward = span(0, 20);
  event.backward = span(20, 60);
  event.buckets = {bucket(0, span(30, 50)), bucket(1, span(60, 100))};
  EXPECT_EQ(late_ms(slow, event), 0);
  event.rank = 1;
  EXPECT_GT(late_ms(slow, event), 0);
}

/// An iteration in which the first bucket works from 15 to 17 and from 50 to 51 ms, the second from
/// 30 to 34 and from 97 to 100 ms.
IterationEvent replayed_on_time() {
  auto event = on_time();
  event.optimizer = span(100.5, 102.5);
  event.buckets = {bucket(0, span(15, 51), span(17, 50)), bucket(1, span(30, 100), span(34, 97))};
  return event;
}

TEST(Sleeps, InThePlaceOfEncodingAndDecodingAreLateByWhatTheyTookBeyondTheProfile) {
  EXPECT_EQ(late_ms(replaying(), replayed_on_time()), 0);
  auto event = replayed_on_time();
  event.buckets[0] = bucket(0, span(15, 51), span(20, 50));
  EXPECT_NEAR(late_ms(replaying(), event), 3, 1e-9) << "before the all-gather";
  event = replayed_on_time();
  event.buckets[1] = bucket(1, span(30, 100), span(34, 95));
  EXPECT_NEAR(late_ms(replaying(), event), 2, 1e-9) << "after it";
}

TEST(Sleeps, OfOneThreadAreNotLateWhileItSleepsForAnotherBucket) {
  auto event = replayed_on_time();
  // The first bucket's all-gather ends while the second bucket has the thread, from 30 to 34 ms.
  event.buckets[0] = bucket(0, span(15, 35), span(17, 33));
  EXPECT_EQ(late_ms(replaying(), event), 0);
}

TEST(Sleeps, BesideBucketsAndForTheOptimiserAreHeldAgainstTheProfileToo) {
  auto event = replayed_on_time();
  event.optimizer = span(103.5, 105.5);
  EXPECT_NEAR(late_ms(replaying(), event), 3, 1e-9);
  event.optimizer = span(100.5, 107.5);
  EXPECT_NEAR(late_ms(replaying(), event), 5, 1e-9);
}

/// Two workers exchange weights in every second iteration. On the first worker two collectives
/// follow the optimiser's 2 ms, each after 2 ms of work. Then come 3 ms of work.
TEST(Sleeps, AroundTheOptimizersStepAreHeldAgainstWhatTheRankDoesInThatIteration) {
  auto prunex = cell();
  prunex.method = {"prunex", {"prunex", Json::object()}};
  const Sleeps sleeps{replaying(testing::example_exchanges_of_ranks()), prunex};
  auto event = on_time();
  for (auto& bucket : event.buckets) bucket.collectives.clear();
  event.buckets[0].exchange = span(15, 15);
  event.buckets[1].exchange = span(30, 30);
  event.exposed = span(30, 30);
  event.optimizer = span(30, 32);
  EXPECT_EQ(late_ms(sleeps, event), 0) << "nothing is called in the first iteration";

  event.iteration = 2;
  auto weights = bucket(-1, {}, span(34, 50));
  weights.collectives.push_back(bucket(-1, span(52, 60)).collectives.front());
  event.buckets.push_back(weights);
  event.optimizer = span(30, 63);
  EXPECT_EQ(late_ms(sleeps, event), 0);
  event.optimizer = span(30, 68);
  EXPECT_NEAR(late_ms(sleeps, event), 5, 1e-9) << "after the last collective";
  event.buckets.back().collectives[1].ready_ns += 4 * kMs;
  event.buckets.back().collectives[1].wire = span(56, 60);
  EXPECT_NEAR(late_ms(sleeps, event), 9, 1e-9) << "and before it";
}

TEST(Sleeps, NeedAProfileThatHasTheMethodsExchanges) {
  auto other = cell();
  other.method.choice.options["ratio"] = 0.1;
  EXPECT_THROW((Sleeps{replaying(), other}), std::invalid_argument);
  Scenario emulating;
  EXPECT_THROW((Sleeps{emulating, cell()}), std::invalid_argument);
  EXPECT_FALSE(sleeps_of(emulating, cell()));
}

}  // namespace
}  // namespace pacbench::record
