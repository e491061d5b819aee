// Methods in trainings: what they send, learn and leave, beside trainings that must equal them.
#include <ATen/Functions.h>
#include <gtest/gtest.h>

#include <map>
#include <thread>

#include "tests/unit/trainer/cell/cell.h"
#include "trainer/collectives/thread_group.h"
#include "trainer/exchange/exchange_engine.h"

namespace pacbench::trainer::test {
namespace {

TEST(SparingMethods, SendNothingBetweenAverages) {
  for (const auto* method : {"local-sgd", "prunex"}) {
    for (const auto& event : trained_by(method, {{"every", 5}}).of_kind("iteration")) {
      const std::int64_t iteration = event.at("iteration");
      EXPECT_EQ(event.at("expected_sent_bytes") > 0, iteration % 5 == 0)
          << method << ' ' << iteration;
    }
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

TEST(EmbRace, TrainsAsAllReduceDoesAndExchangesTheEmbeddingByRows) {
  const auto trained = [](const char* method) {
    auto spec = small_cell(with_defaults(method), 3);
    spec.workload.model = {"char-gpt", {{"layers", 1}, {"width", 64}}};
    spec.workload.dataset = {"tinyshakespeare", Json::object()};
    spec.workload.batch_per_worker = 1;
    spec.workload.optimizer.lr = 0.01;
    spec.workload.max_iterations = 3;
    spec.workload.evaluate_every = 3;
    spec.workload.evaluate_samples = 2;
    return train_over_threads(spec);
  };
  const auto found = trained("embrace");
  const auto expected = trained("all-reduce");
  for (std::size_t i = 0; i < expected.weights[0].size(); ++i) {
    EXPECT_TRUE(at::allclose(found.weights[0][i], expected.weights[0][i], 1e-3, 1e-5)) << i;
  }
  for (const auto& event : found.of_kind("iteration")) {
    int by_rows = 0;
    for (const auto& bucket : event.at("buckets")) {
      for (const auto& call : bucket.at("collectives")) by_rows += call.at("op") == "all_to_all";
    }
    EXPECT_EQ(by_rows, 2) << "there and back, of the one table";
  }
}

TEST(PruneX, LearnsADigitsNetworkOfHalfTheFilters) {
  auto spec = small_cell(with_defaults("prunex", {{"every", 4}}));
  spec.workload.max_iterations = 120;
  const auto curve = train_over_threads(spec).of_kind("evaluation");
  EXPECT_LT(curve.front().at("accuracy").get<double>(), 0.3);
  EXPECT_GT(curve.back().at("accuracy").get<double>(), 0.8);
}

TEST(PruneX, LeavesNothingOfFrozenFiltersInTheWeightsOfAnyWorker) {
  const auto trained = trained_by("prunex", {{"every", 5}, {"masks_until", 0.5}}, 4);
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

TEST(PruneAndRegrow, ThatNeverRegrowsIsPacTrainWithMasksFromTheWeights) {
  expect_same_weights(trained_by("prune-and-regrow", {{"regrow_every", 100}}),
                      trained_by("pactrain", {{"quantize", "none"}}));
}

TEST(PruneAndRegrow, SendsWholeGradientsBeforeMasksChangeAndMovesThem) {
  const auto trained = trained_by("prune-and-regrow", {{"regrow_every", 5}, {"until", 0.5}});
  std::map<std::int64_t, std::int64_t> bytes;  // of rank 0, by iteration
  for (const auto& event : trained.of_kind("iteration")) {
    if (event.at("rank") != 0) continue;
    bytes[event.at("iteration").get<std::int64_t>()] = event.at("expected_sent_bytes");
  }
  EXPECT_EQ(bytes[10], bytes[5]);
  EXPECT_LT(bytes[15], bytes[5]) << "masks change until half of the run";
  EXPECT_GT(static_cast<double>(bytes[5]), 1.5 * static_cast<double>(bytes[4]));
  // Masks change at the start, and after iterations 5 and 10.
  const auto pruned = trained.of_kind("pruned");
  ASSERT_EQ(pruned.size(), 3U);
  for (const auto& event : pruned) EXPECT_NEAR(event.at("kept_fraction"), 0.5, 0.01);
  EXPECT_NE(pruned[0].at("mask_sample"), pruned[1].at("mask_sample"));
  EXPECT_NE(pruned[1].at("mask_sample"), pruned[2].at("mask_sample"));
  EXPECT_LE(trained.weights[0][0].ne(0).to(at::kDouble).mean().item<double>(), 0.75);
}

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
