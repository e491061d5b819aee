#include "harness/record/periods.h"

#include <gtest/gtest.h>

#include <functional>

namespace pacbench::record {
namespace {

/// Steps of 10 ms; those for which `is_long` is true take 90 ms.
std::vector<CellRecord::Step> recorded(std::int64_t count,
                                       const std::function<bool(std::int64_t)>& is_long) {
  std::vector<CellRecord::Step> all;
  std::int64_t at_ns = 0;
  for (std::int64_t number = 1; number <= count; ++number) {
    CellRecord::Step step;
    step.iteration = number;
    step.step_s = is_long(number) ? 0.09 : 0.01;
    step.time = {at_ns, at_ns + static_cast<std::int64_t>(step.step_s * 1e9)};
    at_ns = step.time.end_ns;
    step.clock_s = static_cast<double>(at_ns) * 1e-9;
    all.push_back(step);
  }
  return all;
}

QuietSteps steps(std::int64_t count, const std::function<bool(std::int64_t)>& is_long) {
  return QuietSteps{recorded(count, is_long), std::nullopt, {}};
}

std::int64_t period_in(const QuietSteps& quiet) { return period_of(quiet, quiet.steps()); }

TEST(Periods, OfStepsThatAreAlikeIsOne) {
  const auto all = steps(24, [](auto) { return false; });
  EXPECT_EQ(period_in(all), 1);
  EXPECT_DOUBLE_EQ(step_over_periods_s(all, 1).value(), 0.01);
}

TEST(Periods, AreFoundFromLongStepsThatReturn) {
  const auto all = steps(24, [](auto number) { return number % 8 == 0; });
  EXPECT_EQ(period_in(all), 8);
  EXPECT_DOUBLE_EQ(step_over_periods_s(all, 8).value(), 0.02);
}

TEST(Periods, CountWholePeriodsAlone) {
  const auto all = steps(31, [](auto number) { return number % 8 == 0; });
  EXPECT_DOUBLE_EQ(step_over_periods_s(all, period_in(all)).value(), 0.02);
}

TEST(Periods, MayHaveTwoLongSteps) {
  const auto all = steps(40, [](auto number) { return number % 8 == 0 || number % 8 == 3; });
  EXPECT_EQ(period_in(all), 8);
  EXPECT_DOUBLE_EQ(step_over_periods_s(all, 8).value(), 0.03);
}

TEST(Periods, LeaveOutAStepThatWasLongByChance) {
  const auto all = steps(80, [](auto number) { return number % 8 == 0 || number == 21; });
  EXPECT_EQ(period_in(all), 8);
  EXPECT_DOUBLE_EQ(step_over_periods_s(all, 8).value(), 0.02);
}

TEST(Periods, AreNoneWhereLongStepsReturnAtNoFixedDistance) {
  const auto all =
      steps(25, [](auto number) { return number == 4 || number == 9 || number == 20; });
  EXPECT_EQ(period_in(all), 0);
  EXPECT_DOUBLE_EQ(step_over_periods_s(all, 0).value(), (21 * 0.01 + 3 * 0.09) / 24);
}

TEST(Periods, OfARunThatIsSlowAtItsStartAloneIsOne) {
  EXPECT_EQ(period_in(steps(24, [](auto number) { return number <= 6; })), 1);
}

TEST(Periods, AreFoundThoughADisturbanceTouchedALongStep) {
  const auto all = recorded(24, [](auto number) { return number % 8 == 0; });
  MachineTrace machine;
  machine.watched = true;
  machine.cpus = 2;
  machine.to_ns = all.back().time.end_ns;
  machine.disturbances.push_back(
      {TakenBy::kUnseen, all[15].time.start_ns + 1, all[15].time.end_ns, 0.08});
  const QuietSteps quiet{all, machine, {}};
  ASSERT_EQ(quiet.disturbed(), 1);
  EXPECT_EQ(period_of(quiet, all), 8);
  EXPECT_NEAR(step_over_periods_s(quiet, 8).value(), 0.02, 1e-9);
}

TEST(Periods, WithoutAnExchangeAtSomePlaceHaveNoTime) {
  EXPECT_FALSE(step_over_periods_s(steps(6, [](auto) { return false; }), 8));
}

}  // namespace
}  // namespace pacbench::record
