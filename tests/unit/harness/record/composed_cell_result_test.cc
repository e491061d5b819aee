// Numbers of a cell of mode compose: how long ranks overslept, and the pruning of the training run.
#include <gmock/gmock.h>

#include "harness/record/cell_result.h"
#include "harness/record/composed_clock.h"
#include "tests/unit/harness/example.h"

namespace pacbench::record::composed_summary_test {
namespace {

constexpr std::int64_t kMs = 1'000'000;
constexpr std::int64_t kSentBytes = 14480;

/// A scenario with a forward pass of 2 ms and a bucket that is ready 4 ms later.
Scenario composing() {
  auto scenario = fake_scenario();
  scenario.mode = Mode::kCompose;
  scenario.compose.emplace();
  scenario.compose->profile.iterations = {{2, {4}, 0, 0}};
  return scenario;
}

/// A step whose bucket was ready `late_ms` too late. Its exchange took 10 ms.
IterationEvent iteration(int rank, std::int64_t number, std::int64_t step_ms, double late_ms) {
  IterationEvent event;
  event.rank = rank;
  event.iteration = number;
  event.step = {0, step_ms * kMs};
  event.forward = {0, 2 * kMs};
  event.backward = {2 * kMs, 6 * kMs};
  event.training_s = static_cast<double>(number);
  event.expected_sent_bytes = kSentBytes;
  const auto ready_ns = static_cast<std::int64_t>((6 + late_ms) * 1e6);
  BucketTrace bucket;
  bucket.exchange = {ready_ns, ready_ns + 10 * kMs};
  bucket.collectives = {{"all_reduce", "float32", 1, 100, 50, ready_ns, bucket.exchange}};
  event.buckets = {bucket};
  return event;
}

/// The result of a cell with steps of 32 to 37 ms after a longer first step.
CellResult composed_summary(double late_ms_of_rank_0, double late_ms_of_rank_1) {
  const auto scenario = composing();
  const auto cell = plan::plan(scenario).front();
  CellRecord record{scenario, cell};
  for (const std::int64_t number : {1, 2, 3, 4, 5, 6, 7}) {
    const auto step_ms = number == 1 ? 500 : 30 + number;
    record.add(to_json(iteration(0, number, step_ms, late_ms_of_rank_0)));
    record.add(to_json(iteration(1, number, step_ms, late_ms_of_rank_1)));
  }
  return summarise(scenario, cell, record);
}

TEST(ComposedSummary, HoldsWhatTheRankThatOversleptTheLongestDidAgainstTheStep) {
  EXPECT_EQ(composed_summary(0, 0).late_s, 0);
  EXPECT_NEAR(*composed_summary(3, 1).late_s, 0.003, 1e-9);
  EXPECT_EQ(composed_summary(1, 1).host_verdict.word, "ok");
  const auto late = composed_summary(1, 2);
  EXPECT_NEAR(*late.late_s, 0.002, 1e-9);
  EXPECT_EQ(late.host_verdict.word, "cpu-bound");
  EXPECT_THAT(late.host_verdict.reasons,
              ::testing::ElementsAre(::testing::HasSubstr("2.0 ms late, 6 %")));
}

TEST(ComposedSummary, HasAsItsLowerEndStepsWithoutTheTimeThatRanksOverslept) {
  const auto punctual = composed_summary(0, 0);
  EXPECT_GE(*punctual.time_per_iteration_low_s, 0.032 - 1e-9) << "the first step does not count";
  EXPECT_LT(*punctual.time_per_iteration_low_s, 0.0335);
  EXPECT_GT(*punctual.time_per_iteration_high_s, 0.0355);
  EXPECT_LE(*punctual.time_per_iteration_high_s, 0.037 + 1e-9);
  const auto late = composed_summary(0, 1);
  EXPECT_EQ(late.time_per_iteration_s, punctual.time_per_iteration_s) << "what was measured stays";
  EXPECT_NEAR(*late.time_per_iteration_low_s, *punctual.time_per_iteration_low_s - 0.001, 1e-9);
  EXPECT_EQ(late.time_per_iteration_high_s, punctual.time_per_iteration_high_s);
  EXPECT_EQ(composed_summary(0, 100).time_per_iteration_low_s, 0) << "and not below 0";
}

/// The result of four iterations of a second each, with replayed exchanges. The training run pruned
/// for 2 s before its first iteration, and for 1 s after its ninth.
CellResult replayed_summary(double compute_factor) {
  auto scenario = composing();
  scenario.compose->exchange = "profile";
  scenario.compose->profile.assumption = Profile::Assumption{10, 0.5, 100.0, compute_factor};
  const auto cell = plan::plan(scenario).front();
  CellRecord record{12.5e6};
  for (const std::int64_t number : {1, 2, 3, 4}) {
    record.add(to_json(iteration(0, number, 1000, 0)));
  }
  record.add(to_json(Training{{{20, kSentBytes}}, {{0, 2.0}, {9, 1.0}}, 0.5}));
  record.add(to_json(DoneEvent{0, 4, 4.0, 0, {}, 1, 5000}));
  const auto clock = composed_clock(scenario, record);
  for (const std::int64_t number : {0, 5, 10, 15}) {
    const auto accuracy = number < 5 ? 0.1 : 0.9;
    record.add(to_json(EvaluationEvent{number, clock.at(number), accuracy, 0}));
  }
  record.add(CellRecord::ended_event({CellStatus::kDone, ""}));
  return summarise(scenario, cell, record);
}

TEST(ComposedSummary, OfReplayedExchangesHasThePruningOfTheRunThatTrained) {
  const auto result = replayed_summary(1);
  EXPECT_DOUBLE_EQ(result.targets.at(0).tta_s.value(), 5 + 2) << "a second for each iteration";
  EXPECT_GE(result.targets.at(0).tta_low_s.value(), 7 - 1e-9);
  EXPECT_DOUBLE_EQ(result.pruning_s, 3);
  EXPECT_DOUBLE_EQ(result.kept_fraction, 0.5);
  EXPECT_DOUBLE_EQ(result.training_s, 4 + 2) << "of the iterations that were measured";
  const auto faster = replayed_summary(0.25);
  EXPECT_DOUBLE_EQ(faster.targets.at(0).tta_s.value(), 5 + 0.5) << "as computing is assumed to be";
  EXPECT_DOUBLE_EQ(faster.pruning_s, 0.75);
}

}  // namespace
}  // namespace pacbench::record::composed_summary_test
