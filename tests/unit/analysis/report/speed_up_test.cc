#include "analysis/report/speed_up.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "base/json_reader.h"

namespace pacbench::report {
namespace {

constexpr std::optional<double> kMissed;

TimesOfSeeds times(const std::vector<std::optional<double>>& of_seeds) {
  TimesOfSeeds all;
  for (const auto& time : of_seeds) all[static_cast<std::int64_t>(all.size()) + 1] = time;
  return all;
}

std::optional<double> or_absent(const Json& value) {
  return value.is_null() ? std::nullopt : std::optional{value.get<double>()};
}

TimesOfSeeds recorded_times(const Json& list) {
  std::vector<std::optional<double>> all;
  for (const auto& value : list) all.push_back(or_absent(value));
  return times(all);
}

/// The low end of an interval; absent where the record has 0, since the method never finished.
std::optional<double> low_end(const Json& ends) {
  return ends.at(0) == 0.0 ? std::nullopt : or_absent(ends.at(0));
}

/// The values of NumPy and SciPy, which record_speed_up_cases.py beside this file recorded.
TEST(SpeedUp, HasTheEndsThatNumpyAndScipyFind) {
  const auto recorded = read_json_file(SPEED_UP_CASES);
  for (const auto& test : recorded.at("cases")) {
    SCOPED_TRACE(test.at("name").get<std::string>());
    const auto found =
        speed_up_of(recorded_times(test.at("baseline")), recorded_times(test.at("own")));
    ASSERT_TRUE(found && found->interval);
    EXPECT_DOUBLE_EQ(found->value, test.at("value").get<double>());
    EXPECT_EQ(found->range.low, low_end(test.at("range")));
    EXPECT_EQ(found->range.high, or_absent(test.at("range").at(1)));
    EXPECT_EQ(found->interval->low, low_end(test.at("exact")));
    EXPECT_EQ(found->interval->high, or_absent(test.at("exact").at(1)));
    if (test.at("scipy").is_null()) continue;
    // SciPy draws differently from the same distribution, which has few distinct values.
    EXPECT_NEAR(*found->interval->low, test.at("scipy").at(0), 0.02);
    EXPECT_NEAR(*found->interval->high, test.at("scipy").at(1), 0.02);
  }
}

TEST(SpeedUp, OfFewSeedsHasARangeAndNoInterval) {
  const auto found = speed_up_of(times({10, 12, 14}), times({5, 4, 7}));
  ASSERT_TRUE(found);
  EXPECT_DOUBLE_EQ(found->value, 12.0 / 5);
  EXPECT_DOUBLE_EQ(found->range.low.value(), 2);
  EXPECT_DOUBLE_EQ(found->range.high.value(), 3);
  EXPECT_FALSE(found->interval);
}

TEST(SpeedUp, OfSeedsThatAreSlowTogetherIsSureOfItself) {
  const auto found = speed_up_of(times({1, 2, 3, 4, 5, 6}), times({2, 4, 6, 8, 10, 12}));
  ASSERT_TRUE(found && found->interval);
  EXPECT_DOUBLE_EQ(found->interval->low.value(), 0.5) << "drawn in pairs, the ratio is the same";
  EXPECT_DOUBLE_EQ(found->interval->high.value(), 0.5);
}

TEST(SpeedUp, HasNoEndWhereASideDidNotGetThere) {
  const auto own_missed = speed_up_of(times({10, 12, 14}), times({5, 4, kMissed}));
  ASSERT_TRUE(own_missed);
  EXPECT_FALSE(own_missed->range.low);
  EXPECT_DOUBLE_EQ(own_missed->range.high.value(), 3);
  const auto baseline_missed = speed_up_of(times({10, 12, kMissed}), times({5, 4, 7}));
  ASSERT_TRUE(baseline_missed);
  EXPECT_DOUBLE_EQ(baseline_missed->range.low.value(), 2);
  EXPECT_FALSE(baseline_missed->range.high);
}

TEST(SpeedUp, IsAbsentWhereAMedianWasNotReached) {
  EXPECT_FALSE(speed_up_of(times({10, 12}), times({5, kMissed})));
  EXPECT_FALSE(speed_up_of(times({10, kMissed, kMissed}), times({5, 4, 7})));
  EXPECT_FALSE(speed_up_of(times({kMissed}), times({kMissed})));
  EXPECT_FALSE(speed_up_of({}, {}));
}

TEST(SpeedUp, OverOtherSeedsIsRefused) {
  EXPECT_THROW(speed_up_of({{1, 10.0}}, {{2, 10.0}}), std::invalid_argument);
  EXPECT_THROW(speed_up_of({{1, 10.0}}, {{1, 10.0}, {2, 10.0}}), std::invalid_argument);
}

}  // namespace
}  // namespace pacbench::report
