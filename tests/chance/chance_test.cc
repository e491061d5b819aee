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

TEST(BinomialBounds, OfTheSuiteAreHardlyEverCrossed) {
  const auto bounds = binomial_bounds(kTrials, kProbability);
  EXPECT_EQ(outside(bounds, kProbability, 1'000'000), 0);
  // Those of a normal distribution of the same rate are 5.6 standard deviations away.
  const double deviation = std::sqrt(kTrials * kProbability * (1 - kProbability));
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
  EXPECT_TRUE(std::string_view{result.message()}.starts_with("found 600 events in 20000 trials"));
}

}  // namespace
}  // namespace pacbench
