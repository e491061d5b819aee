#include "harness/compose/composed_clock.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace pacbench {
namespace {

// Four iterations until masks have settled, four after it.
const std::vector<double> kClock{5, 8, 11, 14, 15, 16, 18, 19};

TEST(ComposedClock, IsTheMeasuredOneUpToTheHalf) {
  const ComposedClock clock{kClock};
  EXPECT_EQ(clock.at(0), 0);
  EXPECT_EQ(clock.at(1), 5);
  EXPECT_EQ(clock.at(4), 14);
}

TEST(ComposedClock, GoesOnByTheMeanOfTheSecondHalf) {
  const ComposedClock clock{kClock};
  EXPECT_DOUBLE_EQ(clock.at(5), 15.25);
  EXPECT_DOUBLE_EQ(clock.at(8), 19) << "the last measured iteration is met again";
  EXPECT_DOUBLE_EQ(clock.at(104), 14 + 100 * 1.25);
}

TEST(ComposedClock, IsSureOfWhatWasMeasuredAndLessOfWhatIsFarther) {
  const ComposedClock clock{kClock};
  EXPECT_EQ(clock.interval(3).low_s, clock.interval(3).high_s);
  const auto near = clock.interval(8);
  const auto far = clock.interval(104);
  EXPECT_LE(near.low_s, clock.at(8));
  EXPECT_GE(near.high_s, clock.at(8));
  EXPECT_GT(far.high_s - far.low_s, near.high_s - near.low_s);
  EXPECT_GE(far.low_s, 14 + 100 * 1.0) << "no mean is below the least";
  EXPECT_LE(far.high_s, 14 + 100 * 2.0);
}

TEST(ComposedClock, OfEqualStepsLeavesNothingOpen) {
  const ComposedClock clock{{1, 2, 3, 4, 5, 6}};
  EXPECT_DOUBLE_EQ(clock.interval(50).low_s, 50);
  EXPECT_DOUBLE_EQ(clock.interval(50).high_s, 50);
}

TEST(ComposedClock, NeedsIterationsToGoOnFrom) {
  EXPECT_THROW(ComposedClock({1, 2, 3}), std::invalid_argument);
}

}  // namespace
}  // namespace pacbench
