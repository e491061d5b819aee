#include "harness/statistics/spread.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace pacbench::statistics {
namespace {

// The expected values are those of numpy.quantile(..., method="linear") in NumPy 1.24.
TEST(Quantile, IsLinearBetweenNeighboursSoThatTheMedianOfAnEvenNumberIsBetweenTheMiddleTwo) {
  const std::vector<double> values{12.9, 11.4, 17.25, 10.0, 13.3};
  EXPECT_DOUBLE_EQ(quantile(values, 0.0), 10.0);
  EXPECT_DOUBLE_EQ(quantile(values, 0.1), 10.56);
  EXPECT_DOUBLE_EQ(quantile(values, 0.25), 11.4);
  EXPECT_DOUBLE_EQ(quantile(values, 0.5), 12.9);
  EXPECT_DOUBLE_EQ(quantile(values, 0.9), 15.67);
  EXPECT_DOUBLE_EQ(quantile(values, 1.0), 17.25);
  EXPECT_DOUBLE_EQ(median({4, 1, 3, 2}), 2.5);
  EXPECT_DOUBLE_EQ(median({7}), 7);
  EXPECT_THROW(quantile({}, 0.5), std::invalid_argument);
  EXPECT_THROW(quantile({1}, 1.1), std::invalid_argument);
}

constexpr std::optional<double> kNotFinished;

TEST(CensoredSpread, CountsASeedThatNeverArrivedAsLongestAndHasNoMedianWhereHalfNeverDid) {
  const auto result = censored_spread({5.0, kNotFinished, 4.0});
  EXPECT_EQ(result.median, 5);  // 4, 5, never
  EXPECT_EQ(result.minimum, 4);
  EXPECT_EQ(result.maximum, kNotFinished);
  EXPECT_EQ(result.reached, 2);
  EXPECT_EQ(result.total, 3);
  EXPECT_EQ(censored_spread({5.0, 4.0, 6.0}).maximum, 6);
  EXPECT_EQ(censored_spread({9.0, kNotFinished, 7.0, kNotFinished, 8.0}).median, 9);
  EXPECT_EQ(censored_spread({5.0, kNotFinished}).median, kNotFinished);
  EXPECT_EQ(censored_spread({5.0, kNotFinished, 4.0, kNotFinished}).median, kNotFinished);
  EXPECT_EQ(censored_spread({5.0, 3.0, 4.0, kNotFinished}).median, 4.5);
  EXPECT_EQ(censored_spread({kNotFinished, kNotFinished}).minimum, kNotFinished);
  EXPECT_EQ(censored_spread({}).total, 0);
}

TEST(SpeedUp, IsTheRatioOfTheTwoAndNeedsBoth) {
  EXPECT_EQ(speed_up(10.0, 4.0), 2.5);
  EXPECT_EQ(speed_up(kNotFinished, 4.0), kNotFinished);
  EXPECT_EQ(speed_up(10.0, kNotFinished), kNotFinished);
  EXPECT_EQ(speed_up(10.0, 0.0), kNotFinished);
}

}  // namespace
}  // namespace pacbench::statistics
