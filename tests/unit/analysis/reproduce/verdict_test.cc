// The rules of docs/STATISTICS.md, "A paper's numbers", applied to given evidence.
#include "analysis/reproduce/verdict.h"

#include <gtest/gtest.h>

#include <limits>

namespace pacbench::reproduce::verdict_test {
namespace {

Claim claim_of(Form form, double value) {
  Claim claim;
  claim.id = "made";
  claim.form = form;
  claim.value = value;
  claim.population.workloads = {{"net", "data"}};
  claim.population.rates_mbit = {100, 1000};
  claim.arms = {"masked"};
  claim.baselines = {"all-reduce"};
  return claim;
}

/// A claim about one rate only.
Claim single(Form form, double value) {
  auto claim = claim_of(form, value);
  claim.population.rates_mbit = {100};
  return claim;
}

Evidence measured(double value, double rate_mbit = 100) {
  Evidence evidence;
  evidence.label = evidence.kind = "masked";
  evidence.against = evidence.against_kind = "all-reduce";
  evidence.setting = {"net", "data", rate_mbit, "chain3", Mode::kEmulate, "a CPU", "pretrain"};
  evidence.value = value;
  evidence.seeds = 1;
  return evidence;
}

Evidence without_curve(double step, double limit, double rate_mbit = 100) {
  auto evidence = measured(1, rate_mbit);
  evidence.value.reset();
  evidence.has_curve = false;
  evidence.step = step;
  evidence.limit = limit;
  return evidence;
}

Evidence elsewhere(Evidence evidence) {
  evidence.not_counted = {{"network", "network mlp"}};
  return evidence;
}

Finding finding(const Claim& claim, const std::vector<Evidence>& evidence) {
  return answer_of(claim, evidence).finding;
}

TEST(OneSetting, IsReproducedWithinAFifthEitherWay) {
  const auto claim = single(Form::kAt, 6);
  EXPECT_EQ(finding(claim, {measured(5.01)}), Finding::kReproduced);
  EXPECT_EQ(finding(claim, {measured(7.19)}), Finding::kReproduced);
  EXPECT_EQ(finding(claim, {measured(4.99)}), Finding::kContradicted);
  EXPECT_EQ(finding(claim, {measured(7.21)}), Finding::kBetter);
}

TEST(About, IsContradictedInEitherDirection) {
  const auto claim = single(Form::kAbout, 1);
  EXPECT_EQ(finding(claim, {measured(1.19)}), Finding::kReproduced);
  EXPECT_EQ(finding(claim, {measured(0.84)}), Finding::kReproduced);
  EXPECT_EQ(finding(claim, {measured(1.88)}), Finding::kContradicted) << "not near it";
  EXPECT_EQ(finding(claim, {measured(0.5)}), Finding::kContradicted);
  EXPECT_EQ(answer_of(claim, {measured(1.88)}).why, "ours is larger");
}

TEST(OneSetting, IsReproducedWhenTheNumberLiesInOurInterval) {
  const auto claim = single(Form::kAt, 6);
  auto evidence = measured(4);
  evidence.interval = report::SpeedUpEnds{3, 6.1};
  EXPECT_EQ(finding(claim, {evidence}), Finding::kReproduced);
  EXPECT_EQ(answer_of(claim, {evidence}).why, "the paper's number is in our interval");
  evidence.interval = report::SpeedUpEnds{3, 5.9};
  EXPECT_EQ(finding(claim, {evidence}), Finding::kContradicted);
  evidence.interval = report::SpeedUpEnds{3, std::nullopt};
  EXPECT_EQ(finding(claim, {evidence}), Finding::kReproduced) << "an end that was not reached";
}

TEST(OneSetting, TakesNoRangeOfSeedsForAnInterval) {
  auto evidence = measured(4);
  evidence.range = report::SpeedUpEnds{3, 7};
  EXPECT_EQ(finding(single(Form::kAt, 6), {evidence}), Finding::kContradicted);
}

TEST(OneSetting, SaysInWhichDirectionItIsContradicted) {
  const auto claim = single(Form::kAt, 6);
  EXPECT_EQ(answer_of(claim, {measured(9)}).why, "ours is larger than the paper's best");
  EXPECT_EQ(answer_of(claim, {measured(2)}).why, "ours is smaller");
  EXPECT_EQ(answer_of(claim, {measured(0)}).why, "ours is smaller") << "never got there";
}

TEST(OneSetting, IsNotTestableWhereTheBaselineNeverGotThere) {
  const auto never = measured(std::numeric_limits<double>::infinity());
  EXPECT_EQ(finding(single(Form::kAt, 6), {never}), Finding::kNotTestable);
  EXPECT_EQ(finding(single(Form::kAtLeast, 6), {never}), Finding::kReproduced) << "a bound";
}

TEST(OneSetting, WithoutACurveIsContradictedOnlyWhereEqualIterationsCouldNotReachIt) {
  const auto claim = single(Form::kAt, 6);
  EXPECT_EQ(finding(claim, {without_curve(1.9, 4.9)}), Finding::kContradicted);
  EXPECT_EQ(finding(claim, {without_curve(1.9, 5.1)}), Finding::kNotTestable);
  EXPECT_EQ(finding(claim, {without_curve(6, 8)}), Finding::kNotTestable)
      << "a step is no time to accuracy, however equal the numbers are";
  EXPECT_EQ(answer_of(claim, {without_curve(6, 8)}).why, "no curve");
}

TEST(OneSetting, TakesACurveBeforeNoneAndMoreSeedsBeforeFewer) {
  const auto claim = single(Form::kAt, 6);
  EXPECT_EQ(finding(claim, {without_curve(2, 2), measured(6)}), Finding::kReproduced);
  auto more = measured(2);
  more.seeds = 5;
  EXPECT_EQ(finding(claim, {measured(6), more}), Finding::kContradicted);
}

TEST(OneSetting, IsNotAnsweredByWhatDoesNotCount) {
  const auto answer = answer_of(single(Form::kAt, 6), {elsewhere(measured(6))});
  EXPECT_EQ(answer.finding, Finding::kNotTestable);
  EXPECT_FALSE(answer.counts);
  EXPECT_EQ(answer.measured, 0U);
}

TEST(UpTo, IsReproducedByOneSettingAndContradictedByAll) {
  const auto claim = claim_of(Form::kUpTo, 8);
  EXPECT_EQ(finding(claim, {measured(2, 100), measured(7, 1000)}), Finding::kReproduced);
  EXPECT_EQ(finding(claim, {measured(2, 100)}), Finding::kNotTestable) << "one of two settings";
  EXPECT_EQ(finding(claim, {measured(2, 100), measured(3, 1000)}), Finding::kContradicted);
  EXPECT_EQ(finding(claim, {measured(2, 100), without_curve(7, 8, 1000)}), Finding::kNotTestable);
  EXPECT_EQ(finding(claim, {measured(2, 100), without_curve(2, 2, 1000)}), Finding::kContradicted);
}

TEST(UpTo, IsBetterThanClaimedWhereOneSettingLiesAboveIt) {
  EXPECT_EQ(finding(claim_of(Form::kUpTo, 8), {measured(7, 100), measured(12, 1000)}),
            Finding::kBetter);
}

TEST(UpTo, ShowsTheLargest) {
  const auto answer = answer_of(claim_of(Form::kUpTo, 8), {measured(2, 100), measured(7, 1000)});
  EXPECT_EQ(answer.best().value, 7);
  EXPECT_EQ(answer.measured, 2U);
  EXPECT_EQ(answer.needed, 2U);
  EXPECT_EQ(answer.over_settings->median, 4.5);
  EXPECT_EQ(answer.over_settings->minimum, 2);
}

TEST(AtLeast, IsContradictedByOneSettingAndReproducedByAll) {
  const auto claim = claim_of(Form::kAtLeast, 1.25);
  EXPECT_EQ(finding(claim, {measured(1.0, 100)}), Finding::kContradicted);
  EXPECT_EQ(finding(claim, {measured(3, 100)}), Finding::kNotTestable) << "one of two settings";
  EXPECT_EQ(finding(claim, {measured(1.25, 100), measured(9, 1000)}), Finding::kReproduced);
  EXPECT_EQ(finding(claim, {measured(1.24, 100), measured(9, 1000)}), Finding::kContradicted)
      << "a bound has no slack";
  EXPECT_EQ(finding(claim, {measured(1.3, 100), without_curve(2, 2, 1000)}), Finding::kNotTestable);
  EXPECT_EQ(finding(claim, {measured(1.3, 100), without_curve(1, 1, 1000)}),
            Finding::kContradicted);
}

TEST(AtLeast, IsOpenWhileTheIntervalHoldsTheBound) {
  const auto claim = single(Form::kAtLeast, 1.25);
  auto evidence = measured(1.2);
  evidence.interval = report::SpeedUpEnds{1.1, 1.3};
  EXPECT_EQ(finding(claim, {evidence}), Finding::kNotTestable);
  evidence.interval = report::SpeedUpEnds{1.1, 1.24};
  EXPECT_EQ(finding(claim, {evidence}), Finding::kContradicted);
  auto above = measured(1.3);
  above.interval = report::SpeedUpEnds{1.2, 1.4};
  EXPECT_EQ(finding(claim, {above}), Finding::kNotTestable) << "on the kept side as well";
  EXPECT_EQ(answer_of(claim, {above}).why, "our interval contains the bound");
  above.interval = report::SpeedUpEnds{1.26, 1.4};
  EXPECT_EQ(finding(claim, {above}), Finding::kReproduced);
}

TEST(AtMost, IsContradictedByOneSettingAndReproducedByAll) {
  auto claim = claim_of(Form::kAtMost, 2);
  claim.quantity = Quantity::kThroughput;
  EXPECT_EQ(finding(claim, {measured(2.5, 100), measured(1, 1000)}), Finding::kContradicted);
  EXPECT_EQ(finding(claim, {measured(2.1, 100), measured(1, 1000)}), Finding::kContradicted);
  EXPECT_EQ(finding(claim, {measured(2, 100), measured(-1, 1000)}), Finding::kReproduced);
  EXPECT_EQ(finding(claim, {measured(1, 100)}), Finding::kNotTestable);
}

TEST(AccuracyLost, NeedsTheHighestRatioAndMayBeContradictedByAnyLowerOne) {
  auto claim = single(Form::kAtMost, 2);
  claim.quantity = Quantity::kAccuracyLost;
  claim.population.rates_mbit.clear();
  claim.population.pruning_ratio = 0.8;
  claim.population.lower_ratios_too = true;
  const auto at = [](double ratio, double lost) {
    auto evidence = measured(lost);
    evidence.ratio = ratio;
    return evidence;
  };
  EXPECT_EQ(finding(claim, {at(0.5, 0.1)}), Finding::kNotTestable);
  EXPECT_EQ(finding(claim, {at(0.5, 0.1), at(0.8, 1.9)}), Finding::kReproduced);
  EXPECT_EQ(finding(claim, {at(0.5, 3.1)}), Finding::kContradicted);
  EXPECT_EQ(finding(claim, {at(0.5, 3.1), at(0.8, 1.9)}), Finding::kContradicted);
}

TEST(Steps, OfTwoDataSetsAreOneSettingAndTimesToAccuracyTwo) {
  auto claim = single(Form::kAt, 6);
  claim.population.workloads = {{"net", "other"}, {"net", "data"}};
  EXPECT_EQ(answer_of(claim, {measured(6)}).measured, 1U);
  EXPECT_EQ(answer_of(claim, {measured(6)}).needed, 2U);
  EXPECT_EQ(answer_of(claim, {without_curve(6, 6)}).measured, 1U);
  claim.quantity = Quantity::kThroughput;
  EXPECT_EQ(answer_of(claim, {measured(6)}).measured, 1U);
  EXPECT_EQ(answer_of(claim, {measured(6)}).needed, 1U);
}

}  // namespace
}  // namespace pacbench::reproduce::verdict_test
