#include "tests/chance/chance.h"

#include <cmath>
#include <random>

namespace pacbench {
namespace {

// The checks of loss in tests/kernel.
constexpr std::int64_t kTrials = 20'000;
constexpr double kProbability = 0.02;

/// How many of `draws` of a binomial distribution are outside of the bounds.
std::int64_t outside(const EventBounds& bounds, double probability, int draws) {
  std::mt19937_64 random{1};
  std::binomial_distribution<std::int64_t> events{kTrials, probability};
  std::int64_t count = 0;
  for (int draw = 0; draw < draws; ++draw) count += bounds.contain(events(random)) ? 0 : 1;
  return count;
}

TEST(BinomialBounds, AreThoseOfTheDistribution) {
  // The expected values were computed with exact fractions.
  EXPECT_EQ(binomial_bounds(400, 0.02, 0.001).least, 1);
  EXPECT_EQ(binomial_bounds(400, 0.02, 0.001).most, 19);
  EXPECT_EQ(binomial_bounds(10, 0.5, 0.05).least, 2);
  EXPECT_EQ(binomial_bounds(10, 0.5, 0.05).most, 8);
}

TEST(BinomialBounds, AreCrossedAsOftenAsStated) {
  constexpr int kDraws = 200'000;
  constexpr double kStated = 0.01;
  const auto found = outside(binomial_bounds(kTrials, kProbability, kStated), kProbability, kDraws);
  // The number of events is whole, so bounds are crossed a little less often than stated: each tail
  // lacks less than the mass of one number of events, 0.001 here.
  EXPECT_LE(found, binomial_bounds(kDraws, kStated).most);
  EXPECT_GE(found, binomial_bounds(kDraws, kStated - 0.002).least);
}

TEST(BinomialBounds, OfTheSuiteAreHardlyEverCrossed) {
  EXPECT_EQ(outside(binomial_bounds(kTrials, kProbability), kProbability, 1'000'000), 0);
  // Those of a normal distribution of the same rate are 5.6 standard deviations away.
  const double deviation = std::sqrt(kTrials * kProbability * (1 - kProbability));
  const auto bounds = binomial_bounds(kTrials, kProbability);
  EXPECT_NEAR(static_cast<double>(bounds.least), kTrials * kProbability - 5.6 * deviation, 7);
  EXPECT_NEAR(static_cast<double>(bounds.most), kTrials * kProbability + 5.6 * deviation, 7);
}

TEST(BinomialBounds, CatchALossThatIsHalfAsHighAgain) {
  constexpr int kDraws = 10'000;
  const auto bounds = binomial_bounds(kTrials, kProbability);
  EXPECT_GT(outside(bounds, 1.5 * kProbability, kDraws), 0.999 * kDraws);
  EXPECT_GT(outside(bounds, kProbability / 2, kDraws), 0.999 * kDraws);
}

TEST(IsByChance, NamesTheBoundsThatAreCrossed) {
  EXPECT_TRUE(is_by_chance(400, kTrials, kProbability));
  const auto result = is_by_chance(600, kTrials, kProbability);
  EXPECT_FALSE(result);
  EXPECT_NE(std::string{result.message()}.find("found 600 events in 20000 trials, expected "),
            std::string::npos)
      << result.message();
}

}  // namespace
}  // namespace pacbench
