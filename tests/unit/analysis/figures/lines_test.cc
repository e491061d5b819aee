// Figures take curves, phases and bytes from the recorded lines of cells.
#include <fstream>

#include "analysis/figures/lines.h"
#include "base/files.h"
#include "harness/store/files.h"
#include "tests/unit/analysis/figures/example_iteration.h"
#include "tests/unit/contract/matchers.h"
#include "tests/unit/contract/refusals.h"

namespace pacbench::figures {
namespace {

EvaluationEvent evaluation(std::int64_t iteration, double training_s, double accuracy) {
  return {iteration, training_s, accuracy, 0.5};
}

TEST(MedianCurve, HasMedianAndRangeOverTheSeeds) {
  const auto points = median_curve(
      {{evaluation(3, 1.0, 0.5)}, {evaluation(3, 2.0, 0.7)}, {evaluation(3, 4.0, 0.6)}});
  ASSERT_EQ(points.size(), 1u);
  EXPECT_EQ(points[0].iteration, 3);
  EXPECT_DOUBLE_EQ(points[0].training_s.median, 2.0);
  EXPECT_DOUBLE_EQ(points[0].accuracy.median, 0.6);
  EXPECT_DOUBLE_EQ(points[0].accuracy.minimum, 0.5);
  EXPECT_DOUBLE_EQ(points[0].accuracy.maximum, 0.7);
}

TEST(MedianCurve, EndsWhereTheFirstSeedStopped) {
  const auto points =
      median_curve({{evaluation(3, 1, 0.5), evaluation(6, 2, 0.9)}, {evaluation(3, 1, 0.4)}});
  ASSERT_EQ(points.size(), 1u);
  EXPECT_EQ(points[0].iteration, 3);
}

TEST(MedianCurve, LeavesOutWhatTellsALossAlone) {
  const EvaluationEvent of_loss{6, 2, std::nullopt, 0.5};
  EXPECT_EQ(median_curve({{evaluation(3, 1, 0.5), of_loss}}).size(), 1u);
  EXPECT_TRUE(median_curve({{of_loss}}).empty());
}

TEST(ReadCurve, NamesFileAndLineOfWhatIsNoEvaluation) {
  const TemporaryFolder folder;
  std::ofstream{folder.path() + "/curve.jsonl"} << to_json(evaluation(0, 0, 0.1)).dump() << '\n'
                                                << R"({"event":"evaluation"})" << '\n';
  EXPECT_THAT(testing::refusal_words([&] { store::read_curve(folder.path()); }),
              HasSubstr("curve.jsonl:2: expected an evaluation"));
}

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
  EXPECT_NEAR(phases.compute_s + phases.exposed_encode_s + phases.exposed_wire_s + phases.rest_s,
              0.100, 1e-12);
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

TEST(TypicalIteration, ReadsNoFurtherThanItHasToAndNamesTheLineOfWhatIsNoIteration) {
  const TemporaryFolder folder;
  write(folder.path(), {lasting(0, 2, 100)}, "no event\n");
  EXPECT_EQ(typical_iteration(folder.path(), 1, 0.100).size(), 1u);
  EXPECT_THAT(testing::refusal_words([&] { typical_iteration(folder.path(), 1, 0.300); }),
              HasSubstr("iterations.jsonl:2"));
}

}  // namespace
}  // namespace pacbench::figures
