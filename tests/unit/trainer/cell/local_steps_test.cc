// Compares local SGD and DiLoCo with trainings that must equal them.
#include <gtest/gtest.h>

#include "tests/unit/trainer/cell/cell.h"

namespace pacbench::trainer::test {
namespace {

void expect_near(const Trained& found, const Trained& expected) {
  for (std::size_t i = 0; i < expected.weights[0].size(); ++i) {
    EXPECT_TRUE(at::allclose(found.weights[0][i], expected.weights[0][i], 1e-3, 1e-5)) << i;
  }
}

TEST(LocalSgd, ThatAveragesAfterEveryStepIsSynchronousSgdWithMomentum) {
  expect_near(trained_by("local-sgd", {{"every", 1}}), trained_by("all-reduce", Json::object()));
}

TEST(LocalSgd, OfOneWorkerIsItsOptimiser) {
  expect_near(trained_by("local-sgd", {{"every", 4}}, 1),
              trained_by("all-reduce", Json::object(), 1));
}

TEST(LocalSgd, ThatBeginsAfterTheLastIterationIsSynchronousSgd) {
  const auto post_local = trained_by("local-sgd", {{"every", 4}, {"begin_after", 20}});
  expect_same_weights(post_local, trained_by("all-reduce", Json::object()));
}

TEST(LocalSgd, LeavesWorkersApartBetweenAverages) {
  const auto trained = trained_by("local-sgd", {{"every", 6}});
  EXPECT_FALSE(at::equal(trained.weights[0][0], trained.weights[1][0])) << "18 was the last";
  const auto together = trained_by("local-sgd", {{"every", 5}});
  EXPECT_TRUE(at::equal(together.weights[0][0], together.weights[1][0]));
}

TEST(LocalSgd, SendsNothingBetweenAverages) {
  const auto trained = trained_by("local-sgd", {{"every", 5}});
  for (const auto& event : trained.of_kind("iteration")) {
    const std::int64_t iteration = event.at("iteration");
    EXPECT_EQ(event.at("expected_sent_bytes") > 0, iteration % 5 == 0) << iteration;
  }
}

TEST(LocalSgd, IsEvaluatedWithTheWeightsThatAllShare) {
  // There are evaluations after 5, 10, 15 and 20 iterations. Weights are averaged after 8 and 16;
  // in between the shared weights stay the same.
  const auto curve = trained_by("local-sgd", {{"every", 8}}).of_kind("evaluation");
  ASSERT_EQ(curve.size(), 5U);
  EXPECT_EQ(curve[0].at("loss"), curve[1].at("loss")) << "after 5, as in the beginning";
  EXPECT_EQ(curve[2].at("loss"), curve[3].at("loss")) << "after 10 and 15";
  EXPECT_NE(curve[3].at("loss"), curve[4].at("loss")) << "after 20";
}

TEST(DiLoCo, WithAnOuterRateOfOneAndNoOuterMomentumIsLocalSgd) {
  const Json outer{{"every", 5}, {"outer_lr", 1.0}, {"outer_momentum", 0.0}};
  expect_same_weights(trained_by("diloco", outer), trained_by("local-sgd", {{"every", 5}}));
}

TEST(DiLoCo, MovesFromTheFirstSharedWeightsByTheOuterRateAndNesterovsMomentum) {
  // With one average at the end, the weights move outer_lr · (1 + momentum) times as far.
  const auto local = trained_by("local-sgd", {{"every", 20}});
  const auto outer =
      trained_by("diloco", {{"every", 20}, {"outer_lr", 0.7}, {"outer_momentum", 0.9}});
  auto untrained = small_cell(with_defaults("all-reduce"), 3);
  untrained.workload.optimizer.lr = 1e-30;
  const auto begin = train_over_threads(untrained);
  for (std::size_t i = 0; i < begin.weights[0].size(); ++i) {
    const auto& from = begin.weights[0][i];
    const auto expected = from + (local.weights[0][i] - from) * (0.7 * 1.9);
    EXPECT_TRUE(at::allclose(outer.weights[0][i], expected, 1e-3, 1e-5)) << i;
  }
}

}  // namespace
}  // namespace pacbench::trainer::test
