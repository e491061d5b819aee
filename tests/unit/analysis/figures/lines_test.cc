#include <gmock/gmock.h>

#include <fstream>

#include "analysis/figures/phases.h"
#include "analysis/figures/typical_iteration.h"
#include "base/files.h"
#include "harness/record/iteration_phases.h"

namespace pacbench::figures {
namespace {

constexpr std::int64_t kMs = 1'000'000;

/// A step of 100 ms: 10 forward, 20 backward, 65 waiting, 4 optimising. From 40 to 90 ms there are
/// two collectives on the wire, with 10 ms between them.
IterationEvent example(int rank, std::int64_t iteration) {
  IterationEvent event;
  event.rank = rank;
  event.iteration = iteration;
  event.step = {0, 100 * kMs};
  event.forward = {0, 10 * kMs};
  event.backward = {10 * kMs, 30 * kMs};
  event.exposed = {30 * kMs, 95 * kMs};
  event.optimizer = {95 * kMs, 99 * kMs};
  BucketTrace bucket;
  bucket.exchange = {25 * kMs, 95 * kMs};
  CollectiveTrace first{"all_reduce", "float32", 1, 4, 4, 35 * kMs, {40 * kMs, 60 * kMs}};
  CollectiveTrace second{"all_reduce", "float32", 1, 4, 4, 70 * kMs, {70 * kMs, 90 * kMs}};
  bucket.collectives = {first, second};
  event.buckets = {bucket};
  return event;
}

IterationEvent lasting(int rank, std::int64_t iteration, std::int64_t step_ms) {
  auto event = example(rank, iteration);
  event.step.end_ns = step_ms * kMs;
  return event;
}

void write(const std::string& folder, const std::vector<IterationEvent>& events,
           const std::string& rest = "") {
  std::ofstream file{folder + "/iterations.jsonl"};
  for (const auto& event : events) file << to_json(event).dump() << '\n';
  file << rest;
}

TEST(StepPhases, AddUpToTheStep) {
  const auto phases = step_phases(example(0, 2));
  EXPECT_DOUBLE_EQ(phases.compute_s, 0.030);
  EXPECT_DOUBLE_EQ(phases.exposed_wire_s, 0.040);
  EXPECT_DOUBLE_EQ(phases.exposed_encode_s, 0.025);
  EXPECT_NEAR(phases.rest_s, 0.005, 1e-12);
  EXPECT_NEAR(phases.sum_s(), 0.100, 1e-12);
}

TEST(StepPhases, CountTwoCollectivesAtATimeOnce) {
  auto event = example(0, 2);
  event.buckets.push_back(event.buckets.front());
  EXPECT_DOUBLE_EQ(step_phases(event).exposed_wire_s, 0.040);
}

TEST(IterationPhases, FollowABucketFromEncodingToDecoding) {
  std::vector<std::string> kinds;
  for (const auto& phase : record::iteration_phases(example(0, 2))) kinds.emplace_back(phase.kind);
  EXPECT_THAT(kinds, ::testing::ElementsAre("forward", "backward", "wait", "optimizer", "encode",
                                            "queue", "wire", "encode", "wire", "decode"));
}

TEST(IterationPhases, CallABucketThatSendsNothingEncoding) {
  auto event = example(0, 2);
  event.buckets.front().collectives.clear();
  const auto phases = record::iteration_phases(event);
  ASSERT_EQ(phases.size(), 5u);
  EXPECT_STREQ(phases.back().kind, "encode");
  EXPECT_EQ(phases.back().time.end_ns, 95 * kMs);
}

TEST(IterationPhases, StayWithinTheirExchangeWhateverWasRecorded) {
  auto event = example(0, 2);
  event.buckets.front().collectives.back().wire.end_ns = 300 * kMs;
  const auto phases = record::iteration_phases(event);
  EXPECT_STREQ(phases.back().kind, "wire");
  EXPECT_EQ(phases.back().time.end_ns, 95 * kMs);
}

TEST(TypicalIteration, IsTheFirstNearTheMedianWithAllItsRanks) {
  const TemporaryFolder folder;
  write(folder.path(), {lasting(0, 1, 100), lasting(1, 1, 100), lasting(0, 2, 150),
                        lasting(0, 3, 100), lasting(1, 2, 150), lasting(1, 3, 101)});
  const auto ranks = typical_iteration(folder.path(), 2, 0.1005);
  ASSERT_EQ(ranks.size(), 2u);
  EXPECT_EQ(ranks[0].iteration, 3);
  EXPECT_EQ(ranks[0].rank, 0);
  EXPECT_EQ(ranks[1].rank, 1);
}

TEST(TypicalIteration, IsTheNearestWhenNoneIsNear) {
  const TemporaryFolder folder;
  write(folder.path(), {lasting(0, 2, 150), lasting(0, 3, 120), lasting(0, 4, 60)});
  EXPECT_EQ(typical_iteration(folder.path(), 1, 0.100).front().iteration, 3);
}

TEST(TypicalIteration, ReadsNoFurtherThanItHasTo) {
  const TemporaryFolder folder;
  write(folder.path(), {lasting(0, 2, 100)}, "no event\n");
  EXPECT_EQ(typical_iteration(folder.path(), 1, 0.100).size(), 1u);
}

TEST(TypicalIteration, OfACellWithoutLinesIsEmpty) {
  EXPECT_TRUE(typical_iteration("/nonexistent/cell", 1, 0.1).empty());
}

TEST(TypicalIteration, NamesFileAndLineOfWhatIsNoIteration) {
  const TemporaryFolder folder;
  write(folder.path(), {lasting(0, 2, 300)}, "no event\n");
  try {
    typical_iteration(folder.path(), 1, 0.100);
    FAIL() << "nothing was thrown";
  } catch (const ConfigError& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("iterations.jsonl:2"));
  }
}

}  // namespace
}  // namespace pacbench::figures
