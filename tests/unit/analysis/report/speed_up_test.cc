#include <gtest/gtest.h>

#include <stdexcept>

#include "analysis/report/row.h"

namespace pacbench::report {
namespace {

constexpr std::optional<double> kMissed;

TimesOfSeeds times(const std::vector<std::optional<double>>& of_seeds) {
  TimesOfSeeds all;
  for (const auto& time : of_seeds) all[static_cast<std::int64_t>(all.size()) + 1] = time;
  return all;
}

/// A target that was reached at exactly these times.
TargetSummary reached_at(const TimesOfSeeds& times) {
  TargetSummary summary;
  summary.tta_s_of_seeds = times;
  for (const auto& [seed, time] : times) {
    if (time) summary.crossings[seed] = {*time, *time};
  }
  return summary;
}

std::optional<SpeedUp> speed_up_over(const TimesOfSeeds& baseline, const TimesOfSeeds& own) {
  return speed_up_of(reached_at(baseline), reached_at(own));
}

TEST(SpeedUp, OfTwoSeedsHasARangeAndNoInterval) {
  const auto found = speed_up_over(times({10, 12}), times({5, 4}));
  ASSERT_TRUE(found);
  EXPECT_DOUBLE_EQ(found->value, 11.0 / 4.5);
  EXPECT_DOUBLE_EQ(found->range.low.value(), 2);
  EXPECT_DOUBLE_EQ(found->range.high.value(), 3);
  EXPECT_FALSE(found->interval);
}

TEST(SpeedUp, HasTheIntervalOfThePairedRatio) {
  const auto found = speed_up_over(times({10, 12, 14}), times({5, 4, 7}));
  const auto expected =
      statistics::paired_ratio({{10, 10}, {12, 12}, {14, 14}}, {{5, 5}, {4, 4}, {7, 7}});
  ASSERT_TRUE(found && found->interval);
  EXPECT_DOUBLE_EQ(found->interval->low.value(), expected->low);
  EXPECT_DOUBLE_EQ(found->interval->high.value(), expected->high);
}

TEST(SpeedUp, OfSeedsThatAreSlowTogetherIsSureOfItself) {
  const auto found = speed_up_over(times({1, 2, 3, 4, 5, 6}), times({2, 4, 6, 8, 10, 12}));
  ASSERT_TRUE(found && found->interval);
  EXPECT_DOUBLE_EQ(found->interval->low.value(), 0.5) << "drawn in pairs, the ratio is the same";
  EXPECT_DOUBLE_EQ(found->interval->high.value(), 0.5);
}

TEST(SpeedUp, HasNoEndWhereASideDidNotGetThere) {
  const auto own_missed = speed_up_over(times({10, 12, 14}), times({5, 4, kMissed}));
  ASSERT_TRUE(own_missed);
  EXPECT_FALSE(own_missed->range.low || own_missed->interval);
  EXPECT_DOUBLE_EQ(own_missed->range.high.value(), 3);
  const auto baseline_missed = speed_up_over(times({10, 12, kMissed}), times({5, 4, 7}));
  ASSERT_TRUE(baseline_missed);
  EXPECT_DOUBLE_EQ(baseline_missed->range.low.value(), 2);
  EXPECT_FALSE(baseline_missed->range.high);
}

TEST(SpeedUp, IsAbsentWhereAMedianWasNotReached) {
  EXPECT_FALSE(speed_up_over(times({10, 12}), times({5, kMissed})));
  EXPECT_FALSE(speed_up_over(times({10, kMissed, kMissed}), times({5, 4, 7})));
  EXPECT_FALSE(speed_up_over(times({}), times({})));
}

TEST(SpeedUp, OverOtherSeedsIsRefused) {
  EXPECT_THROW(speed_up_over({{1, 10.0}}, {{2, 10.0}}), std::invalid_argument);
  EXPECT_THROW(speed_up_over({{1, 10.0}}, {{1, 10.0}, {2, 10.0}}), std::invalid_argument);
}

}  // namespace
}  // namespace pacbench::report
