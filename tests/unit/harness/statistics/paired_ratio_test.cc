#include "harness/statistics/two_sides.h"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

namespace pacbench::statistics {
namespace {

std::vector<Between> exactly(std::initializer_list<double> times_s) {
  std::vector<Between> all;
  for (const double time_s : times_s) all.push_back({time_s, time_s});
  return all;
}

TEST(PairedRatio, HasStudentsIntervalOfTheMeanLogarithm) {
  // The logarithms of the ratios are ln 2, ln 4 and ln 8, with mean ln 4 and deviation ln 2.
  // Student's t with two degrees of freedom is 4.302653 at 0.975 (any printed table).
  const auto found = paired_ratio(exactly({2, 8, 24}), exactly({1, 2, 3}));
  ASSERT_TRUE(found);
  const double half_width = 4.302653 * std::log(2) / std::sqrt(3.0);
  EXPECT_NEAR(found->value, 4, 1e-12);
  EXPECT_NEAR(found->low, std::exp(std::log(4) - half_width), 1e-5);
  EXPECT_NEAR(found->high, std::exp(std::log(4) + half_width), 1e-3);
}

TEST(PairedRatio, IsWidenedByTheTimeInWhichNobodyLooked) {
  const std::vector<Between> base{{1.8, 2}, {3.6, 4}, {5.4, 6}};
  const std::vector<Between> own{{0.5, 1}, {1, 2}, {1.5, 3}};
  const auto found = paired_ratio(base, own);
  EXPECT_DOUBLE_EQ(found->value, 2);
  EXPECT_DOUBLE_EQ(found->low, 1.8);
  EXPECT_DOUBLE_EQ(found->high, 4);
}

TEST(PairedRatio, SaysNothingOfTwoPairsAndRefusesWhatAreNoPairsAndNoTimes) {
  EXPECT_FALSE(paired_ratio(exactly({2, 4}), exactly({1, 2})));
  EXPECT_FALSE(paired_ratio({}, {}));
  EXPECT_THROW(paired_ratio(exactly({1, 2, 3}), exactly({1, 2})), std::invalid_argument);
  EXPECT_THROW(paired_ratio(exactly({1, 2, 0}), exactly({1, 2, 3})), std::invalid_argument);
}

}  // namespace
}  // namespace pacbench::statistics
