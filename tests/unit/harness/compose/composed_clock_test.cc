#include "harness/compose/composed_clock.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace pacbench::compose {
namespace {

cell::CellRecord::Step ended_at(double clock_s, std::int64_t sent_bytes) {
  cell::CellRecord::Step step;
  step.wire_s = 0.5;
  step.clock_s = clock_s;
  step.expected_sent_bytes = sent_bytes;
  return step;
}

// Cold, two that send 400 bytes, four that send 100.
const std::vector<cell::CellRecord::Step> kMeasured{
    ended_at(5, 400),  ended_at(8, 400),  ended_at(12, 400), ended_at(13, 100),
    ended_at(14, 100), ended_at(16, 100), ended_at(17, 100)};
constexpr double kDense = 3.5;
constexpr double kCompacted = 1.25;

TEST(ComposedClock, TakesTheFirstIterationAsItWas) {
  const ComposedClock clock{kMeasured, {{3, 400}, {97, 100}}};
  EXPECT_EQ(clock.at(0), 0);
  EXPECT_EQ(clock.at(1), 5);
  EXPECT_EQ(clock.interval(1).low_s, clock.interval(1).high_s);
}

TEST(ComposedClock, GivesEachIterationTheTimeOfThoseThatSentAsMuch) {
  const ComposedClock as_measured{kMeasured, {{3, 400}, {97, 100}}};
  EXPECT_DOUBLE_EQ(as_measured.at(3), 12);
  EXPECT_DOUBLE_EQ(as_measured.at(7), 17) << "the last measured iteration is met again";
  const ComposedClock dense_for_longer{kMeasured, {{11, 400}, {88, 100}, {1, 400}}};
  EXPECT_DOUBLE_EQ(dense_for_longer.at(11), 5 + 10 * kDense);
  EXPECT_DOUBLE_EQ(dense_for_longer.at(99), 5 + 10 * kDense + 88 * kCompacted);
  EXPECT_DOUBLE_EQ(dense_for_longer.at(100), 5 + 11 * kDense + 88 * kCompacted);
}

TEST(ComposedClock, GoesOnAsTheTrainingEnded) {
  const ComposedClock clock{kMeasured, {{3, 400}, {4, 100}}};
  EXPECT_DOUBLE_EQ(clock.at(107), 17 + 100 * kCompacted);
}

TEST(ComposedClock, ChargesBytesThatNoneSentAtTheRateOfTheNearest) {
  const ComposedClock clock{kMeasured, {{1, 400}, {1, 120}, {1, 500}}};
  EXPECT_DOUBLE_EQ(clock.at(2), 5 + kCompacted + 20 * 0.5 / 100);
  EXPECT_DOUBLE_EQ(clock.at(3), clock.at(2) + kDense + 100 * 0.5 / 400);
}

TEST(ComposedClock, IsLessSureOfWhatIsFarther) {
  const ComposedClock clock{kMeasured, {{3, 400}, {97, 100}}};
  const auto near = clock.interval(8);
  const auto far = clock.interval(100);
  EXPECT_LE(near.low_s, clock.at(8));
  EXPECT_GE(near.high_s, clock.at(8));
  EXPECT_GT(far.high_s - far.low_s, near.high_s - near.low_s);
  EXPECT_GE(far.low_s, 5 + 2 * 3 + 97 * 1.0) << "no mean is below the least";
  EXPECT_LE(far.high_s, 5 + 2 * 4 + 97 * 2.0);
}

TEST(ComposedClock, OfEqualStepsLeavesNothingOpen) {
  const ComposedClock clock{{ended_at(1, 9), ended_at(2, 9), ended_at(3, 9), ended_at(4, 9)},
                            {{50, 9}}};
  EXPECT_DOUBLE_EQ(clock.interval(50).low_s, 50);
  EXPECT_DOUBLE_EQ(clock.interval(50).high_s, 50);
}

TEST(ComposedClock, NeedsIterationsToGoOnFromAndATraining) {
  EXPECT_THROW(ComposedClock({ended_at(1, 9), ended_at(2, 9), ended_at(3, 9)}, {{50, 9}}),
               std::invalid_argument);
  EXPECT_THROW(ComposedClock(kMeasured, {}), std::invalid_argument);
}

}  // namespace
}  // namespace pacbench::compose
