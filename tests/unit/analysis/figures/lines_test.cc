#include <gmock/gmock.h>

#include <fstream>

#include "analysis/figures/phases.h"
#include "analysis/figures/typical_iteration.h"
#include "base/files.h"
#include "tests/unit/analysis/figures/example_iteration.h"
#include "tests/unit/contract/refusals.h"

namespace pacbench::figures {
namespace {

IterationEvent lasting(int rank, std::int64_t iteration, std::int64_t step_ms) {
  auto event = example_iteration(rank, iteration);
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
  const auto phases = step_phases(example_iteration(0, 2));
  EXPECT_DOUBLE_EQ(phases.compute_s, 0.030);
  EXPECT_DOUBLE_EQ(phases.exposed_wire_s, 0.040);
  EXPECT_DOUBLE_EQ(phases.exposed_encode_s, 0.025);
  EXPECT_NEAR(phases.rest_s, 0.005, 1e-12);
  EXPECT_NEAR(phases.sum_s(), 0.100, 1e-12);
}

TEST(StepPhases, CountTwoCollectivesAtATimeOnce) {
  auto event = example_iteration(0, 2);
  event.buckets.push_back(event.buckets.front());
  EXPECT_DOUBLE_EQ(step_phases(event).exposed_wire_s, 0.040);
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
  EXPECT_THAT(testing::refusal_words([&] { typical_iteration(folder.path(), 1, 0.100); }),
              ::testing::HasSubstr("iterations.jsonl:2"));
}

}  // namespace
}  // namespace pacbench::figures
