// Gradients estimated from losses alone, for losses with known gradients and in a training.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "tests/unit/trainer/cell/cell.h"
#include "trainer/collectives/thread_group.h"
#include "trainer/exchange/exchange_engine.h"

namespace pacbench::trainer::test {
namespace {

/// The state of one rank at the end.
struct Estimated {
  std::vector<at::Tensor> weights;
  std::vector<at::Tensor> gradients;
};

/// The loss of rank r is the sum of (w - r)^4 / 4 over all weights, whose gradient is (w - r)^3.
double loss_of(const std::vector<at::Tensor>& weights, int rank) {
  double loss = 0;
  for (const auto& weight : weights) {
    loss += (weight.to(at::kDouble) - rank).pow(4).sum().item<double>() / 4;
  }
  return loss;
}

std::vector<at::Tensor> weights_at_first() {
  return {at::tensor({0.5F, -0.25F, 1.0F, 2.0F}).view({2, 2}), at::tensor({-1.5F})};
}

/// Lets the method estimate gradients once, on `size` ranks. Returns each rank's state.
std::vector<Estimated> estimate(const Json& options, int size) {
  const auto method = with_defaults("zeroth-order", options);
  const auto backends = make_thread_group(size);
  std::vector<Estimated> all(static_cast<std::size_t>(size));
  std::vector<std::jthread> threads;
  for (int rank = 0; rank < size; ++rank) {
    threads.emplace_back([&, rank] {
      const auto number = static_cast<std::size_t>(rank);
      auto& [weights, gradients] = all[number];
      weights = weights_at_first();
      gradients = {at::ones({2, 2}), at::ones({1})};
      ExchangeEngine engine{backends[number], make_method(method), 7};
      engine.settle({});
      engine.begin_iteration({1, 0.1, 0.1}, false);
      OptimizerView view{weights, gradients, {1, 0.1, 0.1}, {}, [&weights, rank] {
                           return loss_of(weights, rank);
                         }};
      EXPECT_FALSE(engine.optimizer_step(view)) << "the step is left to the optimiser";
      const auto calls = engine.trace().at(0).collectives;
      ASSERT_EQ(calls.size(), 1U);
      EXPECT_EQ(calls[0].payload_bytes, 4 * method.options.at("directions").get<std::int64_t>());
    });
  }
  return all;
}

TEST(ZerothOrder, LeavesTheSameEstimateOnAllRanksAndTheWeightsWhereTheyWere) {
  const auto all = estimate({{"directions", 3}}, 4);
  const auto before = weights_at_first();
  for (const auto& [weights, gradients] : all) {
    for (std::size_t i = 0; i < before.size(); ++i) {
      EXPECT_TRUE(at::equal(weights[i], before[i]));
      EXPECT_TRUE(at::equal(gradients[i], all[0].gradients[i]));
    }
  }
}

TEST(ZerothOrder, OfManyDirectionsIsTheMeanOfTheRanksGradients) {
  for (const char* difference : {"central", "forward"}) {
    const auto all = estimate({{"directions", 8'000}, {"difference", difference}}, 2);
    const auto weights = weights_at_first();
    for (std::size_t i = 0; i < weights.size(); ++i) {
      const auto expected = (weights[i].pow(3) + (weights[i] - 1).pow(3)) / 2;
      // The norm of the gradient is 10.6, so the mean of 8,000 products of slope and direction has
      // a deviation of at most 0.16 in each entry.
      EXPECT_TRUE(at::allclose(all[1].gradients[i], expected, 0, 0.6)) << all[1].gradients[i];
    }
  }
}

TEST(ZerothOrder, TrainsBySendingScalarsAndWithoutBackward) {
  auto spec = small_cell(with_defaults("zeroth-order", {{"directions", 50}}));
  spec.workload.model = {"mlp", {{"hidden", {8}}}};
  spec.workload.optimizer.lr = 0.03;
  spec.workload.optimizer.momentum = 0;
  spec.workload.max_iterations = 60;
  const auto trained = train_over_threads(spec);
  const auto curve = trained.of_kind("evaluation");
  EXPECT_LT(curve.back().at("loss").get<double>(), 0.95 * curve.front().at("loss").get<double>());
  for (const auto& event : trained.of_kind("iteration")) {
    EXPECT_EQ(event.at("expected_sent_bytes"), 2 * 3 * 200 / 4) << "a ring's, of 50 scalars";
    ASSERT_EQ(event.at("buckets").size(), 1U) << "of no bucket, but of what is called beside them";
  }
}

TEST(ZerothOrder, DrawsOtherDirectionsWithAnotherSeedOrInAnotherIteration) {
  auto spec = small_cell(with_defaults("zeroth-order"));
  spec.workload.optimizer.momentum = 0;
  spec.workload.optimizer.lr = 1e-3;
  spec.workload.max_iterations = 2;
  spec.workload.evaluate_every = 1;
  const auto losses = [](const Trained& trained) {
    std::vector<double> all;
    for (const auto& event : trained.of_kind("evaluation")) all.push_back(event.at("loss"));
    return all;
  };
  const auto one = losses(train_over_threads(spec));
  EXPECT_EQ(one, losses(train_over_threads(spec)));
  EXPECT_NE(one[0] - one[1], one[1] - one[2]);
  spec.seed = 2;
  EXPECT_NE(one, losses(train_over_threads(spec)));
}

}  // namespace
}  // namespace pacbench::trainer::test
