#include "harness/tune/choose.h"

#include <gtest/gtest.h>

#include "contract/scenario/target.h"

namespace pacbench::tune {
namespace {

/// A curve that rises by equal steps to `final` at iteration 10 · `slow` and stays there.
Training rising(double final, std::int64_t slow, double bytes_per_iteration = 1) {
  Training training{true, {}, bytes_per_iteration};
  for (std::int64_t i = 0; i <= 20; ++i) {
    const double share = std::min(1.0, static_cast<double>(i) / 10);
    training.curve.push_back({i * slow, 0, final * share, 3 - final * share});
  }
  return training;
}

Tried tried(double lr, std::vector<Training> trainings) { return {{0, lr}, std::move(trainings)}; }

TEST(Choice, IsTheOneWithTheFewestBytesAmongThoseThatEndAsHigh) {
  const auto chosen = choose({tried(0.1, {rising(0.950, 5, 100)}),
                              tried(0.2, {rising(0.947, 10, 10)}), tried(0.4, {rising(0.940, 1)})},
                             kAccuracy, 0.005);
  EXPECT_EQ(chosen.place, 1U);
  EXPECT_EQ(chosen.judged[0].bytes, 5000) << "in fewer iterations";
  EXPECT_EQ(chosen.judged[1].bytes, 1000);
  EXPECT_TRUE(chosen.judged[0].as_good);
  EXPECT_TRUE(chosen.judged[1].as_good);
  EXPECT_FALSE(chosen.judged[2].as_good);
  EXPECT_EQ(chosen.judged[1].final_value, 0.947);
}

TEST(Choice, IsByTheMedianOfTheSeeds) {
  const auto chosen = choose({tried(0.1, {rising(0.99, 10), rising(0.80, 10), rising(0.81, 10)}),
                              tried(0.2, {rising(0.90, 10), rising(0.91, 10), rising(0.70, 10)})},
                             kAccuracy, 0.005);
  EXPECT_EQ(chosen.place, 1U);
  EXPECT_EQ(chosen.judged[0].final_value, 0.81);
  EXPECT_EQ(chosen.judged[1].final_value, 0.90);
}

TEST(Choice, OfALossIsTheLowest) {
  const auto chosen =
      choose({tried(0.1, {rising(0.5, 10)}), tried(0.2, {rising(0.9, 10)})}, kLoss, 0.005);
  EXPECT_EQ(chosen.place, 1U);
  EXPECT_DOUBLE_EQ(chosen.judged[1].final_value.value(), 2.1);
}

TEST(Choice, TakesATrainingThatFailedForTheWorst) {
  auto diverged = rising(0.99, 1);
  diverged.done = false;
  const auto chosen =
      choose({tried(0.4, {diverged, diverged, rising(0.99, 1)}), tried(0.1, {rising(0.5, 10)})},
             kAccuracy, 0.005);
  EXPECT_EQ(chosen.place, 1U);
  EXPECT_FALSE(chosen.judged[0].final_value);
  EXPECT_FALSE(chosen.judged[0].as_good);
}

TEST(Choice, OfEqualOnesIsTheBetterAndThenTheEarlier) {
  const auto equal = tried(0.1, {rising(0.95, 10)});
  EXPECT_EQ(choose({equal, equal, equal}, kAccuracy, 0.005).place, 0U);
  // Both reach the level after the same bytes, since the level is the best accuracy less 0.1.
  const auto better = choose({equal, tried(0.1, {rising(0.951, 10)})}, kAccuracy, 0.1);
  EXPECT_EQ(better.judged[0].bytes, better.judged[1].bytes);
  EXPECT_EQ(better.place, 1U);
  EXPECT_THROW(choose({}, kAccuracy, 0), std::invalid_argument) << "of nothing";
}

}  // namespace
}  // namespace pacbench::tune
