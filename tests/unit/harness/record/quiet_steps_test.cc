#include "harness/record/quiet_steps.h"

#include <gmock/gmock.h>

#include <cmath>
#include <numeric>
#include <random>

#include "base/clock.h"

namespace pacbench::record {
namespace {

using ::testing::AllOf;
using ::testing::Ge;
using ::testing::Le;
using ::testing::SizeIs;

constexpr std::int64_t kNsInMs = 1'000'000;

/// Steps one after another, of these lengths in ms.
std::vector<CellRecord::Step> steps_of(const std::vector<double>& lengths_ms) {
  std::vector<CellRecord::Step> steps;
  std::int64_t at_ns = 0;
  for (const double length_ms : lengths_ms) {
    CellRecord::Step step;
    const auto length_ns = static_cast<std::int64_t>(length_ms * 1e6);
    step.time = {at_ns, at_ns + length_ns};
    at_ns += length_ns;
    step.step_s = seconds(length_ns);
    step.clock_s = seconds(at_ns);
    step.sent_bytes = step.expected_sent_bytes = 1000;
    step.iteration = std::ssize(steps) + 1;
    steps.push_back(step);
  }
  return steps;
}

MachineTrace taken(std::vector<Disturbance> disturbances) {
  MachineTrace trace;
  trace.watched = true;
  trace.cpus = 2;
  trace.disturbances = std::move(disturbances);
  return trace;
}

Disturbance burst(std::int64_t from_ms, std::int64_t to_ms, double stopped_ms = 0) {
  return {TakenBy::kUnseen, from_ms * kNsInMs, to_ms * kNsInMs,
          seconds((to_ms - from_ms) * kNsInMs), stopped_ms * 1e-3};
}

TEST(QuietSteps, AreAllStepsWithoutAMeterOrADisturbance) {
  const auto steps = steps_of({50, 10, 11, 12});
  for (const auto& machine : {std::optional<MachineTrace>{}, std::optional{taken({})},
                              std::optional{taken({burst(500, 600)})}}) {
    const QuietSteps quiet{steps, machine, RateLimits{}};
    EXPECT_EQ(quiet.disturbed(), 0);
    EXPECT_THAT(quiet.steps(), SizeIs(4));
    EXPECT_EQ(quiet.steps().back().clock_s, steps.back().clock_s);
    EXPECT_EQ(quiet.added_until(4).s, 0);
  }
}

TEST(QuietSteps, TakeTheMeanOfAlikeStepsInThePlaceOfOneThatWasDisturbed) {
  const auto steps = steps_of({10, 10, 10, 10, 10, 45, 10, 10, 10, 10});
  const QuietSteps quiet{steps, taken({burst(52, 90)}), RateLimits{}};
  EXPECT_EQ(quiet.disturbed(), 1);
  EXPECT_THAT(quiet.steps(), SizeIs(9));
  EXPECT_EQ(quiet.added_until(5).s, 0);
  EXPECT_NEAR(quiet.added_until(6).s, 0.035, 1e-9);
  EXPECT_NEAR(quiet.added_until(10).s, 0.035, 1e-9);
}

TEST(QuietSteps, AreSoughtAmongThoseThatSentAsMuch) {
  auto steps = steps_of({10, 100, 10, 100, 10, 100, 10, 100, 10, 140, 10, 100, 10, 100});
  for (std::size_t i = 0; i < steps.size(); ++i) steps[i].expected_sent_bytes = i % 2 == 0 ? 0 : 9;
  const QuietSteps quiet{steps, taken({burst(500, 540)}), RateLimits{}};
  EXPECT_NEAR(quiet.added_until(14).s, 0.04, 1e-9) << "a long step takes the place of a long one";
}

TEST(QuietSteps, TakeAStopOfTheWholeMachineOffButNeverGoBelowWhatTheBytesNeed) {
  const auto steps = steps_of({10, 10, 10, 10, 10, 50, 10, 10, 10, 10});
  const auto stop = taken({burst(54, 98, 40)});
  const QuietSteps quiet{steps, stop, RateLimits{}};
  EXPECT_EQ(quiet.disturbed(), 0);
  EXPECT_THAT(quiet.steps(), SizeIs(10));
  EXPECT_NEAR(quiet.added_until(10).s, 0.040, 1e-9);
  // 1000 bytes at 50,000 bytes a second need 20 ms.
  EXPECT_NEAR((QuietSteps{steps, stop, RateLimits{50'000}}.added_until(10).s), 0.030, 1e-9);
}

TEST(QuietSteps, LeaveTheTimesAsTheyAreWhereTooFewAreQuiet) {
  const auto steps = steps_of(std::vector<double>(10, 20.0));
  std::vector<Disturbance> bursts;
  for (int i = 0; i < 10; ++i) bursts.push_back(burst(20 * i + 5, 20 * i + 15));
  const QuietSteps quiet{steps, taken(bursts), RateLimits{}};
  EXPECT_FALSE(quiet.enough());
  EXPECT_THAT(quiet.steps(), SizeIs(10));
  EXPECT_EQ(quiet.added_until(10).s, 0);
  EXPECT_NEAR(quiet.added_until(10).high_s, 0.1, 1e-9) << "half of the time was lost";
}

/// Bursts at random times lengthen what they touch. The repaired clock is that without them, and
/// its interval holds the true time about as often as it says.
TEST(QuietSteps, GiveTheTimeWithoutDisturbancesAndHowSureThatIs) {
  std::mt19937 random{7};
  std::exponential_distribution<double> gap_ms{1 / 227.0};
  int covered = 0;
  double sum = 0;
  constexpr int kRuns = 200;
  for (int run = 0; run < kRuns; ++run) {
    // Steps of 20 and of 120 ms by chance, which send equally much: short ones escape more often.
    std::vector<double> lengths(200);
    for (auto& length : lengths) length = random() % 4 == 0 ? 120 : 20;
    const double true_s = 1e-3 * std::accumulate(lengths.begin(), lengths.end(), 0.0);
    std::vector<Disturbance> bursts;
    double next_ms = gap_ms(random);
    double at_ms = 0;
    for (auto& length : lengths) {
      // A burst of 40 ms holds the step up as long as it lasts.
      while (next_ms < at_ms + length) {
        bursts.push_back(burst(std::llround(next_ms), std::llround(next_ms) + 40));
        length += 40;
        next_ms += 40 + gap_ms(random);
      }
      at_ms += length;
    }
    const QuietSteps quiet{steps_of(lengths), taken(bursts), RateLimits{}};
    const auto added = quiet.added_until(200);
    const double clock_s = 1e-3 * at_ms;
    sum += (clock_s - added.s) / true_s;
    covered += clock_s - added.high_s <= true_s && true_s <= clock_s - added.low_s ? 1 : 0;
  }
  EXPECT_NEAR(sum / kRuns, 1, 0.01) << "without weights the mean is below 0.9";
  EXPECT_THAT(covered, AllOf(Ge(180), Le(kRuns))) << "of 200 intervals of 95 %";
}

}  // namespace
}  // namespace pacbench::record
