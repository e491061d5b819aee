#include "contract/result/crossing.h"

#include <gtest/gtest.h>

#include "contract/scenario/target.h"

namespace pacbench {
namespace {

const Target kNinety{kAccuracy, 0.9};

/// Evaluations with these accuracies, one every `grid` iterations from 0 on.
std::vector<EvaluationEvent> curve(std::int64_t grid, std::initializer_list<double> accuracies) {
  std::vector<EvaluationEvent> result;
  for (const double accuracy : accuracies) {
    const auto i = static_cast<std::int64_t>(result.size());
    result.push_back({grid * i, 0.5 * static_cast<double>(i), accuracy, 0});
  }
  return result;
}

TEST(Crossing, IsTheFirstThatTheMeanOfTheNextTenIterationsConfirms) {
  // In the ten iterations after the second evaluation the mean is 0.883, after the fourth 0.91.
  // The fourth is at iteration 9, so evaluations after iteration 19 do not count.
  const auto evaluations = curve(3, {0.5, 0.91, 0.85, 0.9, 0.9, 0.93, 0.9, 0.1});
  EXPECT_EQ(first_crossing(evaluations, kNinety, true), 3);
  EXPECT_EQ(first_crossing(curve(3, {0.5, 0.91, 0.89, 0.92, 0.93}), kNinety, true), 1)
      << "one evaluation below the target, but the mean is at it";
  EXPECT_EQ(first_crossing(curve(50, {0.5, 0.91, 0.89, 0.91, 0.9, 0.1}), kNinety, true), 3)
      << "on a coarse grid the next evaluation confirms it";
}

TEST(Crossing, IsTheSameOnAFineGridAndOnThreeTimesAsCoarseAOneWhereTheCurveIsSmooth) {
  std::vector<EvaluationEvent> fine, coarse;
  for (std::int64_t i = 0; i <= 60; ++i) {
    const EvaluationEvent event{i, 0, 0.8 + 0.005 * static_cast<double>(i), 0};
    fine.push_back(event);
    if (i % 3 == 0) coarse.push_back(event);
  }
  const auto in_fine = first_crossing(fine, {kAccuracy, 0.9499}, true).value();
  const auto in_coarse = first_crossing(coarse, {kAccuracy, 0.9499}, true).value();
  EXPECT_EQ(fine[in_fine].iteration, 30);
  EXPECT_EQ(coarse[in_coarse].iteration, 30);
}

TEST(Crossing, ByTheLastEvaluationAloneDoesNotCount) {
  EXPECT_FALSE(first_crossing(curve(3, {0.5, 0.8, 0.95}), kNinety, true));
  EXPECT_FALSE(first_crossing(curve(3, {0.5, 0.95, 0.5}), kNinety, true));
  EXPECT_FALSE(first_crossing({}, kNinety, true));
  EXPECT_EQ(first_crossing(curve(3, {0.5, 0.95, 0.95}), kNinety, true), 1);
  EXPECT_EQ(first_crossing(curve(1, {0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 0.9}), kNinety, true), 0);
}

TEST(Crossing, IsConfirmedByTheNextThatTellsAnAccuracy) {
  auto evaluations = curve(20, {0.5, 0.95, 0.1, 0.95, 0.95});
  evaluations[2].accuracy.reset();
  EXPECT_EQ(first_crossing(evaluations, kNinety, true), 1);
  for (auto& each : evaluations) each.accuracy.reset();
  EXPECT_FALSE(first_crossing(evaluations, kNinety, true));
}

TEST(Crossing, WaitsForAllThatConfirmsItWhileMoreMayCome) {
  EXPECT_FALSE(first_crossing(curve(3, {0.95, 0.95, 0.95, 0.95}), kNinety, false));
  EXPECT_EQ(first_crossing(curve(3, {0.95, 0.95, 0.95, 0.95, 0.95}), kNinety, false), 0);
  EXPECT_EQ(first_crossing(curve(50, {0.95, 0.95}), kNinety, false), 0);
}

TEST(Crossing, OfALossIsWhereItFallsToTheTargetAndStays) {
  const std::vector<EvaluationEvent> falling{
      {0, 0, 0, 4.2}, {3, 0.5, 0, 1.8}, {6, 1, 0, 1.9}, {9, 1.5, 0, 1.85}, {12, 2, 0, 1.7}};
  EXPECT_EQ(first_crossing(falling, {kLoss, 1.8}, true), std::nullopt);
  EXPECT_EQ(first_crossing(falling, {kLoss, 1.9}, true), 1);
}

TEST(Target, IsSaidInPercentOrAsALoss) {
  EXPECT_EQ(words_of({kAccuracy, 0.97}), "97 %");
  EXPECT_EQ(words_of({kLoss, 1.8}), "loss 1.8");
  EXPECT_EQ(short_name({kAccuracy, 0.5}), "0.5");
  EXPECT_EQ(short_name({kLoss, 0.5}), "loss-0.5");
}

TEST(Target, IsReachedByAnAccuracyAtOrAboveItOrByALossAtOrBelowIt) {
  EXPECT_TRUE(reaches({1, 0, 0.9, 3.0}, {kAccuracy, 0.9}));
  EXPECT_FALSE(reaches({1, 0, 0.899, 0.1}, {kAccuracy, 0.9}));
  EXPECT_FALSE(reaches({1, 0, std::nullopt, 0.1}, {kAccuracy, 0.01}));
  EXPECT_TRUE(reaches({1, 0, 0.1, 1.8}, {kLoss, 1.8}));
  EXPECT_FALSE(reaches({1, 0, 0.99, 1.801}, {kLoss, 1.8}));
  EXPECT_TRUE(reaches({1, 0, std::nullopt, 0.1}, {kLoss, 0.1}));
}

}  // namespace
}  // namespace pacbench
