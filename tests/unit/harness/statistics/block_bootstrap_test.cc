#include "harness/statistics/block_bootstrap.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "harness/statistics/spread.h"

namespace pacbench::statistics {
namespace {

constexpr double kTrueMedian = 10;

/// An almost normal number: the sum of twelve uniform numbers in [0, 1), less 6. It is the same on
/// every machine.
double normal(Random& random) {
  double sum = -6;
  for (int i = 0; i < 12; ++i) sum += static_cast<double>(random.next() >> 11) * 0x1p-53;
  return sum;
}

/// An autoregressive series of the first order, whose median is kTrueMedian.
std::vector<double> autoregressive(std::size_t length, double correlation, Random& random) {
  std::vector<double> series;
  double value = normal(random);
  for (std::size_t i = 0; i < length; ++i) {
    series.push_back(kTrueMedian + value);
    value = correlation * value + std::sqrt(1 - correlation * correlation) * normal(random);
  }
  return series;
}

struct Coverage {
  double in_blocks = 0;
  double as_independent = 0;
};

/// The share of 200 series whose interval contains the true median: by the block bootstrap, and by
/// the interval for independent values.
Coverage coverage(std::size_t length, double correlation) {
  constexpr int kSeries = 200;
  Random random{7};
  Coverage found;
  for (int i = 0; i < kSeries; ++i) {
    const auto series = autoregressive(length, correlation, random);
    const auto blocks = median_of_series(series);
    found.in_blocks += blocks->low <= kTrueMedian && kTrueMedian <= blocks->high ? 1 : 0;
    const auto plain = median_interval({series.begin(), series.end()});
    found.as_independent += *plain->low <= kTrueMedian && kTrueMedian <= *plain->high ? 1 : 0;
  }
  return {found.in_blocks / kSeries, found.as_independent / kSeries};
}

TEST(BlockBootstrap, CoversTheMedianOfStepsThatHangTogetherWhereIndependentOnesDoNot) {
  const auto many = coverage(500, 0.6);
  EXPECT_GE(many.in_blocks, 0.91);
  EXPECT_LE(many.in_blocks, 0.99);
  EXPECT_LE(many.as_independent, 0.8);
  const auto few = coverage(25, 0.6);
  EXPECT_GE(few.in_blocks, few.as_independent + 0.05);
  EXPECT_GE(few.in_blocks, 0.85);
  for (const std::size_t length : {10, 25, 100}) {
    const auto independent = coverage(length, 0);
    EXPECT_GE(independent.in_blocks, 0.92) << length;
    EXPECT_LE(independent.in_blocks, 0.995) << length;
  }
}

TEST(BlockLength, IsLongerTheLongerStepsHangTogether) {
  Random random{3};
  const auto independent = block_length(autoregressive(500, 0, random));
  const auto some = block_length(autoregressive(500, 0.6, random));
  const auto strong = block_length(autoregressive(500, 0.9, random));
  EXPECT_EQ(independent, 8) << "the third root of 500, at least";
  EXPECT_GT(some, independent);
  EXPECT_GT(strong, some);
  EXPECT_LE(strong, 68) << "3 times the root of 500";
}

TEST(BlockLength, OfAShortSeriesIsAThirdOfItAtMost) {
  Random random{3};
  for (std::size_t length = 1; length < 30; ++length) {
    const auto block = block_length(autoregressive(length, 0.99, random));
    EXPECT_GE(block, 1);
    EXPECT_LE(block, std::max<std::size_t>(1, length / 3)) << length;
  }
  EXPECT_EQ(block_length(std::vector<double>(27, 1.5)), 3) << "the least, of equal steps";
}

TEST(MedianOfSeries, IsAbsentBelowSixValues) {
  Random random{1};
  const auto first = [](std::vector<double>& values) { return values.front(); };
  EXPECT_THROW(BlockBootstrap({}, first, random), std::invalid_argument);
  EXPECT_FALSE(median_of_series({}));
  EXPECT_FALSE(median_of_series({1, 2, 3, 4, 5}));
  const auto ends = median_of_series(std::vector<double>(6, 0.25));
  EXPECT_EQ(ends->low, 0.25) << "equal steps leave nothing open";
  EXPECT_EQ(ends->high, 0.25);
}

}  // namespace
}  // namespace pacbench::statistics
