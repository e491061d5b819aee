#include "analysis/adapt/gain.h"

#include "base/errors.h"
#include "tests/unit/contract/matchers.h"

namespace pacbench::adapt {
namespace {

/// An arm that spends all of its time sending: 100 s at 10 Mbit/s, 1 s at 1000.
Arm bytes_alone() { return {"dense", {{10, 100}, {100, 10}, {1000, 1}}}; }
/// An arm that spends all of its time computing.
Arm computing_alone(double tta_s) { return {"sparse", {{10, tta_s}, {100, tta_s}, {1000, tta_s}}}; }

Arms of(std::vector<Arm> arms) { return {{}, {10, 100, 1000}, arms, {arms}, {}}; }

/// A report's link with a row for each label of `rows`. A row's cells of seeds 1 and 2 reached the
/// target at these times in seconds, or never.
report::LinkReport link_of(double rate_mbit,
                           const std::map<std::string, std::vector<std::optional<double>>>& rows) {
  report::LinkReport link;
  link.link = std::to_string(rate_mbit);
  link.rate_mbit = rate_mbit;
  for (const auto& [label, times] : rows) {
    report::ReportRow row;
    row.label = label;
    row.seeds = {1, 2};
    row.done = 2;
    row.targets.resize(1);
    row.targets[0].target = {kAccuracy, 0.9};
    row.targets[0].tta_s_of_seeds = {{1, times[0]}, {2, times[1]}};
    link.rows.push_back(std::move(row));
  }
  return link;
}

report::ReportSection section_of(std::vector<report::LinkReport> links) {
  report::ReportSection section;
  Json profiles = Json::array();
  for (const auto& link : links) {
    profiles.push_back({{"name", link.link}, {"rate_mbit", link.rate_mbit}, {"delay_ms", 0}});
  }
  section.scenario = {{"network", {{"links", profiles}}}};
  section.links = std::move(links);
  return section;
}

TEST(Arms, AreTheRowsThatReachedTheTargetWithAllSeedsAtEveryRate) {
  const auto section = section_of({link_of(100, {{"a", {2, 4}}, {"b", {1, std::nullopt}}}),
                                   link_of(10, {{"a", {20, 40}}, {"b", {1, 1}}})});
  const auto arms = arms_of("run", section, 0);
  EXPECT_THAT(arms.rates_mbit, ElementsAre(10, 100));
  ASSERT_EQ(arms.medians.size(), 1);
  EXPECT_EQ(arms.medians[0].label, "a");
  EXPECT_THAT(arms.medians[0].tta_s, ElementsAre(Pair(10, 30), Pair(100, 3)));
  ASSERT_EQ(arms.of_seeds.size(), 2);
  EXPECT_THAT(arms.of_seeds[1][0].tta_s, ElementsAre(Pair(10, 40), Pair(100, 4)));
  EXPECT_THAT(arms.left_out, ElementsAre("b"));
}

TEST(Arms, HaveTheSameSeedsAndNoSuspectLink) {
  auto slow = link_of(10, {{"a", {20, 40}}, {"b", {1, 1}}, {"c", {1, 1}}});
  auto fast = link_of(100, {{"a", {2, 4}}, {"b", {1, 1}}, {"c", {1, 1}}});
  for (auto* link : {&slow, &fast}) {
    link->rows[1].seeds = {1, 3};
    link->rows[1].targets[0].tta_s_of_seeds = {{1, 1.0}, {3, 1.0}};
  }
  slow.rows[2].suspect = true;
  EXPECT_THAT(arms_of("run", section_of({fast, slow}), 0).left_out, ElementsAre("b", "c"));
}

TEST(Arms, AreRefusedOfOneRateOfLinksThatDifferInMoreAndOfATargetThatIsNotThere) {
  const auto link = link_of(100, {{"a", {2, 4}}});
  EXPECT_THROW(arms_of("run", section_of({link}), 0), ConfigError);
  auto section = section_of({link, link_of(10, {{"a", {2, 4}}})});
  EXPECT_THROW(arms_of("run", section, 1), ConfigError);
  section.scenario["network"]["links"][0]["delay_ms"] = 5;
  EXPECT_THROW(arms_of("run", section, 0), ConfigError);
}

TEST(Arm, IsInProportionToTimePerBitBetweenMeasuredRatesAndBelowThem) {
  EXPECT_NEAR(bytes_alone().tta_at(50), 20, 1e-9);
  EXPECT_NEAR(bytes_alone().tta_at(500), 2, 1e-9);
  EXPECT_NEAR(computing_alone(5).tta_at(50), 5, 1e-9);
  EXPECT_NEAR(bytes_alone().tta_at(5), 200, 1e-9);
  EXPECT_NEAR(bytes_alone().tta_at(4000), 1, 1e-9) << "above them it stays";
  const Arm scattered{"scattered", {{100, 1.6}, {300, 1.7}}};
  EXPECT_DOUBLE_EQ(scattered.tta_at(5), 1.6) << "no faster than at the lowest";
}

TEST(Gain, IsNothingWhereTheRateDoesNotMove) {
  const auto gain = gain_over(of({bytes_alone(), computing_alone(5)}), {{{0, 100}}, 0});
  EXPECT_EQ(gain.single, "sparse");
  EXPECT_DOUBLE_EQ(gain.single_s, 5);
  EXPECT_DOUBLE_EQ(gain.factor(), 1);
  EXPECT_THAT(gain.shares, ElementsAre(Pair("sparse", 1)));
}

TEST(Gain, IsThatOfTheFasterArmInEachPartOfASchedule) {
  // At 1000 Mbit/s dense does one training a second, at 10 Mbit/s sparse does a fifth. In a period
  // of 1 s the oracle does 0.5 + 0.1 of a training, sparse alone 0.2 and dense alone 0.505.
  const RateSchedule schedule{{{0, 1000}, {0.5, 10}}, 1};
  const auto gain = gain_over(of({bytes_alone(), computing_alone(5)}), schedule);
  EXPECT_EQ(gain.single, "dense");
  EXPECT_NEAR(gain.oracle_s, 1 + 0.4, 1e-9);
  EXPECT_NEAR(gain.single_s, 1 + 0.495, 1e-9);
  EXPECT_THAT(gain.shares, UnorderedElementsAre(Pair("dense", DoubleNear(0.9 / 1.4, 1e-9)),
                                                Pair("sparse", DoubleNear(0.5 / 1.4, 1e-9))));
}

TEST(Gain, HoldsItsLastRateWhereAScheduleDoesNotRepeat) {
  const RateSchedule schedule{{{0, 1000}, {0.5, 10}}, 0};
  const auto gain = gain_over(of({bytes_alone()}), schedule);
  EXPECT_NEAR(gain.single_s, 0.5 + 0.5 * 100, 1e-9);
  EXPECT_DOUBLE_EQ(gain.factor(), 1);
  EXPECT_THROW(gain_over(of({bytes_alone()}), {}), std::invalid_argument);
}

TEST(Gain, OfASeedHasTheChoicesOfTheMediansAndMayBeALoss) {
  auto arms = of({bytes_alone(), computing_alone(5)});
  arms.of_seeds = {{bytes_alone(), computing_alone(500)}};
  const RateSchedule schedule{{{0, 1000}, {0.5, 10}}, 1};
  const auto gain = gain_over(arms, schedule);
  ASSERT_EQ(gain.of_seeds.size(), 1);
  EXPECT_LT(gain.of_seeds[0], 1) << "the seed's sparse arm is slow, and the oracle takes it";
}

TEST(FastestAtRates, NamesTheFirstAndTheSecondAndTheSteadiestLosesLeast) {
  const auto arms = of({bytes_alone(), computing_alone(5)});
  const auto all = fastest_at_rates(arms);
  ASSERT_EQ(all.size(), 3);
  EXPECT_EQ(all[0].fastest, "sparse");
  EXPECT_EQ(all[2].fastest, "dense");
  EXPECT_EQ(all[2].next, "sparse");
  EXPECT_DOUBLE_EQ(all[2].next_s, 5);
  const auto steady = steadiest(arms);
  EXPECT_EQ(steady.label, "sparse");
  EXPECT_DOUBLE_EQ(steady.worst_factor, 5);
  EXPECT_DOUBLE_EQ(steady.rate_mbit, 1000);
}

}  // namespace
}  // namespace pacbench::adapt
