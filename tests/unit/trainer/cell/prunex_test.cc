// PruneX in training.
#include <ATen/Functions.h>
#include <gtest/gtest.h>

#include "tests/unit/trainer/cell/cell.h"

namespace pacbench::trainer::test {
namespace {

Trained trained_for(std::int64_t iterations, const Json& options) {
  auto spec = small_cell(with_defaults("prunex", options));
  spec.workload.max_iterations = iterations;
  return train_over_threads(spec);
}

TEST(PruneX, LearnsADigitsNetworkOfHalfTheFilters) {
  const auto curve = trained_for(120, {{"every", 4}}).of_kind("evaluation");
  EXPECT_LT(curve.front().at("accuracy").get<double>(), 0.3);
  EXPECT_GT(curve.back().at("accuracy").get<double>(), 0.8);
}

TEST(PruneX, SendsNothingBetweenRounds) {
  const auto trained = trained_by("prunex", {{"every", 5}});
  for (const auto& event : trained.of_kind("iteration")) {
    const std::int64_t iteration = event.at("iteration");
    EXPECT_EQ(event.at("expected_sent_bytes") > 0, iteration % 5 == 0) << iteration;
  }
}

TEST(PruneX, LeavesNothingOfFrozenFiltersInTheWeightsOfAnyWorker) {
  const auto trained = trained_for(20, {{"every", 5}, {"masks_until", 0.5}});
  for (const std::size_t layer : {0, 2}) {
    const auto zeros = trained.weights[0][layer].eq(0).all(1);
    EXPECT_EQ(zeros.sum().item<std::int64_t>(), zeros.numel() / 2) << layer;
    for (const auto& rank : trained.weights) {
      EXPECT_TRUE(at::equal(rank[layer].eq(0).all(1), zeros)) << layer;
    }
  }
  const auto& classes = trained.weights[0][4];
  EXPECT_FALSE(classes.eq(0).all(1).any().item<bool>()) << "classes are no filters to prune";
}

}  // namespace
}  // namespace pacbench::trainer::test
