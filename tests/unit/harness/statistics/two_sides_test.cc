#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>

#include "harness/statistics/block_bootstrap.h"
#include "harness/statistics/two_sides.h"

namespace pacbench::statistics {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

using Values = std::vector<double>;

Strata one_seed(const Values& base, const Values& next) { return {{1, base, next}}; }

TEST(Random, DrawsThePublishedNumbers) {
  // These are the first outputs of the author's reference code for the seed 1234567.
  Random random{1234567};
  EXPECT_EQ(random.next(), 6457827717110365317U);
  EXPECT_EQ(random.next(), 3203168211198807973U);
}

TEST(MannWhitney, SeesNothingBetweenValuesThatAreAllAlikeAndRefusesWhatCannotBeRanked) {
  const auto alike = mann_whitney(one_seed({kNever, kNever}, {kNever, kNever, kNever}));
  EXPECT_EQ(alike.u, 3);
  EXPECT_EQ(alike.p_two_sided, 1);
  const std::vector<double> many(100, 1.0);
  EXPECT_EQ(mann_whitney(one_seed(many, many)).p_two_sided, 1);
  EXPECT_THROW(mann_whitney(one_seed({}, {1})), std::invalid_argument);
  EXPECT_THROW(mann_whitney(one_seed({1}, {std::nan("")})), std::invalid_argument);
}

TEST(MannWhitney, CountsAssignmentsWithinEachStratum) {
  const auto found =
      mann_whitney({{1, {1, 2, 2}, {2, 3}}, {2, {10, 12}, {11, 12, 13, kNever}}, {3, {5}, {4}}});
  EXPECT_EQ(found.u, 5 + 6.5 + 0);
  // Of the 10 · 15 · 2 assignments 28 have a U of at least that, and 284 one of at most that.
  EXPECT_NEAR(found.p_greater, 28.0 / 300, 1e-12);
  EXPECT_NEAR(found.p_less, 284.0 / 300, 1e-12);
  EXPECT_TRUE(found.exact);
}

TEST(CriticalU, IsWhereThePGetsToAlpha) {
  // In tables 23 is the highest U that is significant at 5 % for two sides of ten.
  EXPECT_EQ(critical_u(10, 0.05), 100 - 23);
  EXPECT_EQ(critical_u(3, 0.05), 10);
  EXPECT_NEAR(critical_u(31, 0.01), 31 * 31 - 297, 2);
}

TEST(HodgesLehmann, TakesPairsWithinAStratumOnly) {
  const auto found = hodges_lehmann({{1, {1, 1}, {1.5, 1.5}}, {2, {100}, {150}}});
  EXPECT_DOUBLE_EQ(found.value, 1.5);
  EXPECT_DOUBLE_EQ(found.low, 1.5);
}

TEST(HodgesLehmann, DrawsTheSameIntervalEachTime) {
  const std::vector<double> base{1, 1.1, 1.3, 0.9};
  const std::vector<double> next{1.2, 1.4, 1.1, 1.0};
  EXPECT_EQ(hodges_lehmann(one_seed(base, next)).low, hodges_lehmann(one_seed(base, next)).low);
}

TEST(HodgesLehmann, KeepsCensoredValuesApartFromNumbersAndTakesTimesOfNothingAsAlike) {
  EXPECT_EQ(hodges_lehmann(one_seed({10, 11, 12}, {kNever, kNever, kNever})).value, kNever);
  EXPECT_EQ(hodges_lehmann(one_seed({kNever, kNever}, {10, 11})).value, 0);
  EXPECT_EQ(hodges_lehmann(one_seed({kNever}, {kNever})).value, 1);
  const auto some = hodges_lehmann(one_seed({10, 10, 10, 10}, {11, 11, 11, kNever}));
  EXPECT_DOUBLE_EQ(some.value, 1.1);
  EXPECT_EQ(some.high, kNever);
  EXPECT_EQ(hodges_lehmann(one_seed({0, 0}, {0, 0})).value, 1);
  EXPECT_THROW(hodges_lehmann(one_seed({-1}, {1})), std::invalid_argument);
  EXPECT_THROW(hodges_lehmann(one_seed({}, {1})), std::invalid_argument);
}

TEST(LogResiduals, LieAroundTheMiddleOfTheirStratum) {
  const auto found = log_residuals({{1, {1, 1, 1}, {2}}, {2, {7, 7}, {9, 9, kNever}}});
  EXPECT_EQ(found, Values(7, 0.0)) << "without the side that has one value";
  EXPECT_TRUE(log_residuals(one_seed({1}, {2})).empty());
}

TEST(Holm, RefusesWhatIsNoProbability) {
  EXPECT_TRUE(holm({}).empty());
  EXPECT_THROW(holm({1.1}), std::invalid_argument);
}

TEST(RunsNeeded, AreTheFewestForAnyPWhereNothingVaries) {
  const std::vector<double> steady(10, 0.0);
  EXPECT_DOUBLE_EQ(smallest_p(5, 5), 2.0 / 252);  // SciPy's "apart" has this p
  EXPECT_EQ(smallest_p(1, 1), 1);
  EXPECT_EQ(fewest_runs(0.01), 5U);
  EXPECT_EQ(fewest_runs(0.001), 7U);
  EXPECT_EQ(runs_needed(steady, {1.05, 0.01, 0.8}), 5U);
  EXPECT_EQ(share_found(steady, 5, {1.05, 0.01, 0.8}), 1);
  EXPECT_EQ(share_found(steady, 4, {1.05, 0.01, 0.8}), 0);
}

TEST(RunsNeeded, GrowWithTheSpreadAndAreWhatIsNeeded) {
  const auto narrow = log_residuals(one_seed({1, 1.01, 1.02, 0.99}, {1, 0.98, 1.01, 1.03}));
  const auto wide = log_residuals(one_seed({1, 1.05, 1.08, 0.93}, {1, 0.9, 1.06, 1.09}));
  const Demand demand{1.05, 0.001, 0.8};
  const auto few = runs_needed(narrow, demand);
  const auto many = runs_needed(wide, demand);
  ASSERT_TRUE(few && many);
  EXPECT_LT(*few, *many);
  EXPECT_GE(share_found(wide, *many, demand), 0.8);
  EXPECT_LT(share_found(wide, *many / 2, demand), 0.8);
  const auto wider = log_residuals(one_seed({1, 2, 4, 8}, {1, 3, 9, 27}));
  EXPECT_FALSE(runs_needed(wider, {1.01, 0.001, 0.8}, 50)) << "even the most are too few";
  EXPECT_FALSE(runs_needed({-0.001, 0.001}, {2, 1e-6, 0.8}, 5)) << "no p can get to 1e-6 with 5";
}

}  // namespace
}  // namespace pacbench::statistics
