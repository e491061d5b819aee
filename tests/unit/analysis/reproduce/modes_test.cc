// How claims are judged by made-up runs of modes compose and learn, which mostly lack learning
// curves or times. Runs of mode simulate are refused.
#include <gmock/gmock.h>

#include "base/errors.h"
#include "tests/unit/analysis/reproduce/reproduced.h"
#include "tests/unit/contract/example_catalogue.h"

namespace pacbench::reproduce::modes_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

Reproduction of(const MadeRun& setting, const std::vector<MadeArm>& arms) {
  return reproduced(named({made_run(setting, arms)}));
}

constexpr const char* kFig5 = "resnet152-all-reduce";

TEST(WithoutACurve, StepsAreShownAndOnlyWhatIsOutOfReachIsJudged) {
  const auto found = of(composed(), figure_5());
  const auto& answer = claim(found, kFig5);
  EXPECT_EQ(answer.finding, Finding::kNotTestable);
  EXPECT_EQ(answer.why, "no curve");
  const auto& ternary = arm(answer, "pactrain-0.5-ternary");
  EXPECT_EQ(ternary.best().value, std::nullopt);
  EXPECT_NEAR(*ternary.best().step, 3.4 / 0.6, 1e-9);
  EXPECT_NEAR(*ternary.best().limit, 8, 1e-9) << "the ratio of bytes";
  const auto& plain = arm(answer, "pactrain-0.5");
  EXPECT_EQ(plain.finding, Finding::kContradicted);
  EXPECT_EQ(plain.why, "the most that ours can be is too small");
}

TEST(WithoutACurve, NothingIsSaidAgainstALossyBaseline) {
  const auto found = of(composed(), figure_5());
  for (const auto& each : arm(claim(found, "tta-low"), "pactrain-0.5").evidence) {
    EXPECT_EQ(each.limit.has_value(), each.against == "fp16") << each.against;
  }
}

TEST(WithoutACurve, BytesAreNoBoundAgainstABaselineThatIsNoRing) {
  auto claims = pactrain();
  for (auto& each : claims.claims) {
    if (each.id == "resnet152-fp16") each.baselines = {"fp16-direct"};
  }
  auto direct = fp16(1.7);
  direct.method["label"] = "fp16-direct";
  direct.method["sum"] = "direct";
  const auto run = made_run(composed(), {all_reduce(3.4), direct, masked(1.8)});
  const auto found = reproduce(claims, named({run}), testing::example_catalogue());
  const auto& evidence = arm(claim(found, "resnet152-fp16"), "pactrain-0.5").best();
  EXPECT_EQ(evidence.against, "fp16-direct");
  EXPECT_EQ(evidence.limit, std::nullopt);
  ASSERT_THAT(evidence.reasons, Not(IsEmpty()));
  EXPECT_EQ(evidence.reasons.front().words, "it sends 1/1.00 of the bytes of fp16-direct");
}

TEST(WithoutACurve, ThroughputIsJudged) {
  const auto found = of(composed(), figure_5());
  const auto& answer = claim(found, "throughput-low");
  EXPECT_EQ(arm(answer, "pactrain-0.5").finding, Finding::kContradicted) << "as fast as FP16";
  EXPECT_EQ(arm(answer, "pactrain-0.5-ternary").finding, Finding::kNotTestable) << "one setting";
}

TEST(ModeCompose, WithACurveAndOneSeedKnowsTheScatterOfItsSteps) {
  auto setting = composed();
  setting.curve = "results/learned";
  auto run = made_run(setting, figure_5());
  for (auto& cell : run.cells) {
    auto& target = cell.targets[0];
    target.tta_low_s = *target.tta_s * 0.9;
    target.tta_high_s = *target.tta_s * 1.2;
  }
  const auto found = reproduced(named({run}));
  const auto& ternary = arm(claim(found, kFig5), "pactrain-0.5-ternary").best();
  EXPECT_EQ(claim(found, kFig5).finding, Finding::kReproduced);
  EXPECT_TRUE(ternary.is_of_steps);
  EXPECT_NEAR(*ternary.interval->low, 3.4 / 0.6 * 0.9 / 1.2, 1e-9);
  EXPECT_NEAR(*ternary.interval->high, 3.4 / 0.6 * 1.2 / 0.9, 1e-9);
}

TEST(HalfAndDoubleSpeed, AreARangeAndNoMeasurements) {
  const auto slow = [](double more) {
    return std::vector<MadeArm>{all_reduce(3.4 + more), masked_ternary(0.6 + more)};
  };
  const auto found =
      reproduced(named({made_run(composed(0.15), slow(0.2)), made_run(composed(0.3), slow(0)),
                        made_run(composed(0.6), slow(-0.1))}));
  const auto& ternary = arm(claim(found, "throughput-all-reduce"), "pactrain-0.5-ternary");
  ASSERT_THAT(ternary.evidence, SizeIs(1));
  EXPECT_NEAR(*ternary.best().value, 3.4 / 0.6, 1e-9);
  ASSERT_THAT(ternary.best().speeds, SizeIs(2));
  EXPECT_NEAR(ternary.best().speeds[0], 3.6 / 0.8, 1e-9);
  EXPECT_NEAR(ternary.best().speeds[1], 3.3 / 0.5, 1e-9);
  ASSERT_THAT(found.steps, SizeIs(1));
  EXPECT_THAT(found.steps[0].columns, SizeIs(1));
}

TEST(HalfAndDoubleSpeed, OfOtherFactorsAreMeasurementsOfTheirOwn) {
  const auto found =
      reproduced(named({made_run(composed(0.3), figure_5()), made_run(composed(0.5), figure_5())}));
  EXPECT_THAT(arm(claim(found, "throughput-all-reduce"), "pactrain-0.5").evidence, SizeIs(2));
}

TEST(ModeLearn, BoundsATimeToAccuracyByBytesAndIterations) {
  MadeRun run;
  run.mode = Mode::kLearn;
  auto arms = figure_5();
  arms[4] = in_iterations(2000, arms[4]);
  const auto found = of(run, arms);
  const auto& ternary = arm(claim(found, kFig5), "pactrain-0.5-ternary").best();
  EXPECT_NEAR(*ternary.limit, 8.0 / 2, 1e-9);
  EXPECT_EQ(claim(found, kFig5).finding, Finding::kContradicted);
  EXPECT_THAT(found.steps, IsEmpty());
}

TEST(ModeLearn, AnswersForAccuracy) {
  MadeRun run;
  run.mode = Mode::kLearn;
  const std::vector<MadeArm> arms{all_reduce(1), ending_at(0.899, at_ratio(0.5, masked(1))),
                                  ending_at(0.885, at_ratio(0.8, masked(1))),
                                  ending_at(0.80, at_ratio(0.9, masked(1)))};
  const auto found = of(run, arms);
  const auto& answer = claim(found, "accuracy-lost");
  EXPECT_EQ(answer.finding, Finding::kReproduced);
  ASSERT_THAT(answer.arms, SizeIs(1)) << "one arm at three ratios";
  EXPECT_NEAR(*answer.arms[0].best().value, 1.5, 1e-9);
  EXPECT_EQ(words_of(answer.arms[0].evidence[2].not_counted), "ratio 0.9, above 0.8");
  run.max_iterations = 1960;
  const auto shorter = of(run, arms);
  EXPECT_EQ(words_of(claim(shorter, "accuracy-lost").arms[0].evidence[0].not_counted),
            "1960 of 19600 iterations");
}

TEST(ModeSimulate, IsRefusedSinceItMeasuredNothing) {
  MadeRun simulated;
  simulated.mode = Mode::kSimulate;
  const auto runs = named({made_run({}, figure_5()), made_run(simulated, figure_5())});
  try {
    reproduced(runs);
    FAIL() << "was taken";
  } catch (const ConfigError& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("run2"), HasSubstr("/mode: found simulate")));
  }
}

TEST(WithoutACurve, TheScatterOfOneSeedsStepsIsAnInterval) {
  auto run = made_run(composed(), figure_5());
  for (const auto& [label, low_s, high_s] :
       {std::tuple{"all-reduce", 3.3, 3.6}, {"pactrain-0.5-ternary", 0.5, 0.66}}) {
    cells_of(run, label)[0]->time_per_iteration_low_s = low_s;
    cells_of(run, label)[0]->time_per_iteration_high_s = high_s;
  }
  const auto found = reproduced(named({run}));
  const auto& ternary = arm(claim(found, "throughput-all-reduce"), "pactrain-0.5-ternary").best();
  EXPECT_TRUE(ternary.is_of_steps);
  EXPECT_NEAR(*ternary.interval->low, 3.3 / 0.66, 1e-9);
  EXPECT_NEAR(*ternary.interval->high, 3.6 / 0.5, 1e-9);
  EXPECT_FALSE(arm(claim(found, "throughput-all-reduce"), "pactrain-0.5").best().interval)
      << "too few steps";
}

}  // namespace
}  // namespace pacbench::reproduce::modes_test
