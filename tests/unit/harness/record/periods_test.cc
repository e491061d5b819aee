#include "harness/record/quiet_steps.h"

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

TEST(Periods, AreFoundFromLongStepsThatReturn) {
  struct Case {
    const char* of;
    std::int64_t count;
    std::function<bool(std::int64_t)> is_long;
    std::int64_t period;
    double step_s;
  };
  const Case cases[] = {
      {"steps that are alike", 24, [](auto) { return false; }, 1, 0.01},
      {"whole periods", 24, [](auto i) { return i % 8 == 0; }, 8, 0.02},
      {"a part of a period more", 31, [](auto i) { return i % 8 == 0; }, 8, 0.02},
      {"two long steps each", 40, [](auto i) { return i % 8 == 0 || i % 8 == 3; }, 8, 0.03},
      {"one more by chance", 80, [](auto i) { return i % 8 == 0 || i == 21; }, 8, 0.02},
      {"no fixed distance", 25, [](auto i) { return i == 4 || i == 9 || i == 20; }, 0,
       (21 * 0.01 + 3 * 0.09) / 24},
      {"a slow start", 24, [](auto i) { return i <= 6; }, 1, 0.01},
  };
  for (const auto& [of, count, is_long, period, step_s] : cases) {
    SCOPED_TRACE(of);
    const QuietSteps all{recorded(count, is_long), std::nullopt, {}};
    EXPECT_EQ(period_of(all, all.steps()), period);
    EXPECT_DOUBLE_EQ(step_over_periods_s(all, period).value(), step_s);
  }
  const QuietSteps few{recorded(6, [](auto) { return false; }), std::nullopt, {}};
  EXPECT_FALSE(step_over_periods_s(few, 8)) << "without an exchange at some place";
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

}  // namespace
}  // namespace pacbench::record
