#include "harness/statistics/spread.h"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

namespace pacbench::statistics {
namespace {

constexpr std::optional<double> kDnf;

TEST(MedianInterval, HasNoEndsWhereTheyWereNotReached) {
  const auto interval = median_interval({1.0, 2.0, 3.0, 4.0, 5.0, kDnf});
  EXPECT_EQ(interval->low, 1);
  EXPECT_EQ(interval->high, kDnf);
  const auto none = median_interval({kDnf, kDnf, kDnf, kDnf, kDnf, kDnf});
  ASSERT_TRUE(none);
  EXPECT_EQ(none->low, kDnf);
  EXPECT_EQ(none->high, kDnf);
  EXPECT_FALSE(median_interval({}));
  EXPECT_THROW(median_interval({1.0}, 0), std::invalid_argument) << "a confidence that is none";
  EXPECT_THROW(median_interval({1.0}, 1), std::invalid_argument);
}

TEST(MedianInterval, OfThousandsOfValuesNarrowsAndCoversWhatWasAskedFor) {
  for (const int count : {1000, 1075, 2000, 20'000}) {
    std::vector<std::optional<double>> values;
    for (int i = 0; i < count; ++i) values.emplace_back(i);
    const auto interval = median_interval(values);
    // The binomial distribution is almost normal for such counts.
    const auto half_width = 1.96 * std::sqrt(count) / 2;
    EXPECT_NEAR(*interval->low, count / 2.0 - half_width, 2) << count;
    EXPECT_NEAR(*interval->high, count / 2.0 + half_width, 2) << count;
    EXPECT_GE(interval->coverage, 0.95) << count;
    EXPECT_LT(interval->coverage, 0.96) << count;
  }
}

}  // namespace
}  // namespace pacbench::statistics
