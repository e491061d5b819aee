#include "harness/record/composed_clock.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace pacbench::record {
namespace {

CellRecord::Step ended_at(double clock_s, std::int64_t sent_bytes) {
  CellRecord::Step step;
  step.wire_s = 0.5;
  step.clock_s = clock_s;
  step.expected_sent_bytes = sent_bytes;
  return step;
}

// A slower first step, two that send 400 bytes, and four that send 100.
const std::vector<CellRecord::Step> kMeasured{
    ended_at(5, 400),  ended_at(8, 400),  ended_at(12, 400), ended_at(13, 100),
    ended_at(14, 100), ended_at(16, 100), ended_at(17, 100)};
const std::vector<AlikeIterations> kTraining{{3, 400}, {97, 100}};
constexpr double kDense = 3.5;
constexpr double kCompacted = 1.25;

TEST(ComposedClock, GivesEachIterationTheTimeOfThoseThatSentAsMuch) {
  const ComposedClock as_measured{kMeasured, kTraining};
  EXPECT_EQ(as_measured.at(0), 0);
  EXPECT_EQ(as_measured.at(1), 5) << "the first iteration as it was";
  EXPECT_EQ(as_measured.interval(1).low, as_measured.interval(1).high);
  EXPECT_DOUBLE_EQ(as_measured.at(3), 12);
  EXPECT_DOUBLE_EQ(as_measured.at(7), 17) << "the last measured iteration is met again";
  const ComposedClock dense_for_longer{kMeasured, {{11, 400}, {88, 100}, {1, 400}}};
  EXPECT_DOUBLE_EQ(dense_for_longer.at(11), 5 + 10 * kDense);
  EXPECT_DOUBLE_EQ(dense_for_longer.at(99), 5 + 10 * kDense + 88 * kCompacted);
  EXPECT_DOUBLE_EQ(dense_for_longer.at(100), 5 + 11 * kDense + 88 * kCompacted);
  const ComposedClock going_on{kMeasured, {{3, 400}, {4, 100}}};
  EXPECT_DOUBLE_EQ(going_on.at(107), 17 + 100 * kCompacted) << "as the training ended";
}

TEST(ComposedClock, ChargesBytesThatNoneSentAtTheLeastThatAByteTookOfThoseThatSentSome) {
  const ComposedClock clock{kMeasured, {{1, 400}, {1, 120}, {1, 500}}};
  EXPECT_DOUBLE_EQ(clock.at(2), 5 + kCompacted + 20 * 0.5 / 400);
  EXPECT_DOUBLE_EQ(clock.at(3), clock.at(2) + kDense + 100 * 0.5 / 400);
  // 400 bytes are nearer to 0 than to 1000, but iterations without bytes say nothing about the time
  // of bytes.
  const std::vector<CellRecord::Step> measured{ended_at(1, 0), ended_at(2, 0), ended_at(3, 0),
                                               ended_at(4, 0), ended_at(9, 1000)};
  const ComposedClock silent{measured, {{10, 0}, {1, 400}}};
  EXPECT_DOUBLE_EQ(silent.at(11), silent.at(10) + 5 - 600 * 0.5 / 1000);
}

TEST(ComposedClock, NeedsATrainingAndIterationsThatShowHowLongItsBytesTake) {
  const std::vector<CellRecord::Step> silent{ended_at(1, 0), ended_at(2, 0), ended_at(3, 0),
                                             ended_at(4, 0)};
  EXPECT_THROW((ComposedClock{silent, {{31, 0}, {1, 400}}}), std::runtime_error);
  EXPECT_THROW(ComposedClock({silent.begin(), silent.end() - 1}, {{50, 0}}), std::invalid_argument);
  EXPECT_THROW(ComposedClock(kMeasured, {}), std::invalid_argument);
  const ComposedClock clock{silent, {{32, 0}}};
  EXPECT_DOUBLE_EQ(clock.at(32), 32);
  EXPECT_DOUBLE_EQ(clock.interval(32).low, 32) << "equal steps leave nothing open";
  EXPECT_DOUBLE_EQ(clock.interval(32).high, 32);
}

TEST(ComposedClock, IsLessSureOfWhatIsFarther) {
  const ComposedClock clock{kMeasured, kTraining};
  const auto near = clock.interval(8);
  const auto far = clock.interval(100);
  EXPECT_LE(near.low, clock.at(8));
  EXPECT_GE(near.high, clock.at(8));
  EXPECT_GT(far.high - far.low, near.high - near.low);
  EXPECT_GE(far.low, 5 + 2 * 3 + 97 * 1.0) << "no mean is below the least";
  EXPECT_LE(far.high, 5 + 2 * 4 + 97 * 2.0);
}

TEST(ComposedClock, IsAtLeastWhatItIsWithoutTheTimeThatRanksOverslept) {
  const auto overslept = [](double late_s) {
    auto late = kMeasured;
    for (auto& step : late) step.late_s = late_s;
    return ComposedClock{late, kTraining};
  };
  const auto punctual = overslept(0);
  const auto clock = overslept(0.25);
  EXPECT_EQ(clock.at(100), punctual.at(100)) << "what was measured stays";
  EXPECT_NEAR(clock.interval(100).low, punctual.interval(100).low - 100 * 0.25, 1e-9);
  EXPECT_NEAR(clock.interval(100).high, punctual.interval(100).high, 1e-9);
  EXPECT_EQ(overslept(100).interval(100).low, 0) << "they overslept longer than the steps";
}

TEST(ComposedClock, HasPruningWhereItCameInTheTraining) {
  const ComposedClock without{kMeasured, kTraining};
  const ComposedClock clock{kMeasured, kTraining, {{0, 2}, {50, 1}}};
  EXPECT_EQ(clock.at(0), 0);
  EXPECT_DOUBLE_EQ(clock.at(1), without.at(1) + 2);
  EXPECT_DOUBLE_EQ(clock.at(50), without.at(50) + 2) << "the second step comes after it";
  EXPECT_DOUBLE_EQ(clock.at(51), without.at(51) + 3);
  EXPECT_DOUBLE_EQ(clock.interval(51).low, without.interval(51).low + 3);
}

TEST(ComposedClock, IsLessSureWhereStepsDrift) {
  const auto width = [](bool (*is_longer)(int)) {
    std::vector<CellRecord::Step> steps;
    double at_s = 0;
    for (int i = 0; i < 60; ++i) steps.push_back(ended_at(at_s += is_longer(i) ? 1.2 : 1.0, 100));
    const auto ends = ComposedClock{steps, {{600, 100}}}.interval(600);
    return ends.high - ends.low;
  };
  EXPECT_GT(width([](int i) { return i >= 30; }), 2 * width([](int i) { return i % 2 == 1; }));
}

}  // namespace
}  // namespace pacbench::record
