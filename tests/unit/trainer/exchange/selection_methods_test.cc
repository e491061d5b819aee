// Compares Random-K, DGC, EF21, QSGD and the sign methods with plain references.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/unit/trainer/exchange/thread_ranks.h"
#include "trainer/encoding/random_draws.h"
#include "trainer/kernels/signs.h"

namespace pacbench::trainer::test::selection_methods_test {
namespace {

RunFacts with_momentum(double momentum) {
  RunFacts run;
  run.optimizer.momentum = momentum;
  return run;
}

std::vector<float> values(const at::Tensor& tensor) {
  return {tensor.data_ptr<float>(), tensor.data_ptr<float>() + tensor.numel()};
}

TEST(RandomPositions, AreDifferentAscendAndHitEachPlaceEquallyOften) {
  std::vector<int> hits(10, 0);
  for (std::int64_t iteration = 0; iteration < 4000; ++iteration) {
    RandomKey key;
    key.iteration = iteration;
    for (const std::int64_t count : {3, 7}) {
      const auto places = random_positions(key, count, 10, at::kCPU);
      ASSERT_EQ(places.numel(), count);
      const auto* place = places.data_ptr<std::int64_t>();
      for (std::int64_t i = 0; i < count; ++i) {
        if (i > 0) {
          EXPECT_LT(place[i - 1], place[i]);
        }
        ++hits.at(static_cast<std::size_t>(place[i]));
      }
    }
  }
  // A count is 4000 in the mean; its deviation is at most 41.
  for (const int count : hits) EXPECT_NEAR(count, 4000, 5 * 41);
}

TEST(RandomNormal, HasMeanZeroAndVarianceOne) {
  const auto drawn = random_normal(RandomKey{}, 100001);
  EXPECT_EQ(drawn.numel(), 100001);
  EXPECT_NEAR(drawn.mean().item<double>(), 0, 0.02);
  EXPECT_NEAR(drawn.var().item<double>(), 1, 0.02);
  EXPECT_TRUE(at::isfinite(drawn).all().item<bool>());
}

TEST(RandomK, IsTheMeanGradientInTheMean) {
  const auto layout = layout_of({{30}});
  auto ranks = ranks_of(choice("random-k", {{"ratio", 0.2}}), 3, layout);
  const auto gradients = integer_gradients(layout, 3, 30, 4);
  auto sum = at::zeros({30});
  constexpr int kRounds = 600;
  for (int round = 0; round < kRounds; ++round) sum += ranks.exchange(gradients)[0][0];
  const auto mean = dense_mean(gradients, 0);
  // In each round an entry gets 5 times its value with probability 1/5, else 0. The deviation is
  // 2 |value|.
  const auto error = (sum / kRounds - mean).abs();
  EXPECT_TRUE((error <= mean.abs() * 5 * 2 / std::sqrt(kRounds)).all().item<bool>());
}

TEST(RandomK, WithErrorFeedbackDeliversEverythingInTime) {
  const auto layout = layout_of({{30}});
  auto ranks = ranks_of(choice("random-k", {{"ratio", 0.5}, {"error_feedback", true}}), 4, layout);
  const auto gradients = integer_gradients(layout, 4, 30, 4);
  auto received = ranks.exchange(gradients)[0][0].clone();
  const Gradients nothing(4, {at::zeros({30})});
  for (int round = 0; round < 40; ++round) received += ranks.exchange(nothing)[0][0];
  EXPECT_TRUE(at::equal(received, dense_mean(gradients, 0)));
}

TEST(Dgc, WithoutMomentumAndWarmUpIsTopKWithErrorFeedback) {
  const auto layout = layout_of({{70}});
  auto dgc = ranks_of(choice("dgc", {{"ratio", 0.1}, {"warm_up_iterations", 0}}), 3, layout);
  auto topk = ranks_of(choice("topk", {{"ratio", 0.1}}), 3, layout);
  for (int iteration = 0; iteration < 6; ++iteration) {
    const auto gradients = integer_gradients(layout, 3, 1 << 20, iteration);
    EXPECT_TRUE(at::equal(dgc.exchange(gradients)[0][0], topk.exchange(gradients)[0][0]));
  }
}

TEST(Dgc, GathersWithMomentumAndForgetsTheMomentumOfWhatItSent) {
  const auto layout = layout_of({{4}});
  auto ranks = ranks_of(choice("dgc", {{"ratio", 0.25}, {"warm_up_iterations", 0}}), 2, layout,
                        with_momentum(0.5));
  const auto push = [&](std::vector<float> gradient) {
    const auto tensor = at::tensor(gradient);
    return values(ranks.exchange({{tensor}, {tensor}})[0][0]);
  };
  EXPECT_EQ(push({4, 2, 0, 1}), (std::vector<float>{4, 0, 0, 0}));
  // Entry 1 has accumulated 2, and its velocity 2 · 0.5 + 1 is added. Entry 0 was sent, so it
  // begins at zero.
  EXPECT_EQ(push({1, 1, 0, 0}), (std::vector<float>{0, 4, 0, 0}));
}

TEST(Dgc, WarmsUpInFiveStagesToItsShare) {
  const auto layout = layout_of({{1000}});
  auto ranks = ranks_of(choice("dgc", {{"ratio", 0.001}, {"warm_up_iterations", 5}}), 2, layout);
  std::vector<std::int64_t> sent;
  for (int iteration = 0; iteration < 6; ++iteration) {
    const auto one = integer_gradients(layout, 1, 1 << 20, iteration)[0];
    const auto means = ranks.exchange({one, one});
    sent.push_back(means[0][0].count_nonzero().item<std::int64_t>());
  }
  EXPECT_EQ(sent, (std::vector<std::int64_t>{251, 63, 16, 4, 1, 1}));
}

TEST(Ef21, OfEverythingIsTheDenseMean) {
  const auto layout = layout_of({{40}});
  auto ranks = ranks_of(choice("ef21", {{"ratio", 1.0}}), 4, layout);
  for (int iteration = 0; iteration < 4; ++iteration) {
    const auto gradients = integer_gradients(layout, 4, 30, iteration);
    EXPECT_TRUE(at::equal(ranks.exchange(gradients)[1][0], dense_mean(gradients, 0)));
  }
}

TEST(Ef21, OfTheSameGradientsReachesTheirMeanWhenEveryEntryWasSent) {
  const auto layout = layout_of({{40}});
  auto ranks = ranks_of(choice("ef21", {{"ratio", 0.25}}), 4, layout);
  const auto gradients = integer_gradients(layout, 4, 30, 7);
  Gradients means;
  for (int round = 0; round < 4; ++round) means = ranks.exchange(gradients);
  EXPECT_TRUE(at::equal(means[0][0], dense_mean(gradients, 0)));
}

TEST(Qsgd, IsWithinALevelOfEachRoundingAndUnbiased) {
  const auto layout = layout_of({{1200}});
  const auto gradients = integer_gradients(layout, 3, 30, 4);
  const auto mean = dense_mean(gradients, 0);
  // The norm of a block is at most that of 512 entries of 30.
  const double most = 30 * std::sqrt(512.0);
  for (const auto& [bits, levels] : {std::pair{"8", 127}, std::pair{"4", 7}}) {
    auto ranks = ranks_of(choice("qsgd", {{"bits", bits}}), 3, layout);
    auto sum = at::zeros({1200});
    constexpr int kRounds = 300;
    for (int round = 0; round < kRounds; ++round) {
      const auto found = ranks.exchange(gradients)[2][0];
      EXPECT_LE((found - mean).abs().max().item<double>(), 2 * most / levels);
      sum += found;
    }
    // Each of the two roundings has an error within one level, so a deviation of at most half.
    const double deviation = most / levels / std::sqrt(kRounds);
    EXPECT_LE((sum / kRounds - mean).abs().max().item<double>(), 5 * deviation) << bits;
  }
}

TEST(Signs, ArePackedAndAddedFromAnyPlaceOn) {
  const auto numbers = at::tensor(std::vector<float>{1, -2, 0, -0.5, 3, 4, -1, -1, 9, -9, 1});
  const auto packed = pack_signs(numbers);
  EXPECT_EQ(packed.numel(), sign_bytes(11));
  auto sums = at::zeros({6});
  add_signs(packed, 5, 0.5F, sums);
  EXPECT_EQ(values(sums), (std::vector<float>{0.5F, -0.5F, -0.5F, 0.5F, -0.5F, 0.5F}));
}

TEST(SignSgd, IsTheSignThatMostRanksHave) {
  const auto layout = layout_of({{50}, {3}});
  auto ranks = ranks_of(choice("signsgd"), 5, layout);
  const auto gradients = integer_gradients(layout, 5, 20, 3);
  const auto means = ranks.exchange(gradients);
  for (std::size_t bucket = 0; bucket < layout.size(); ++bucket) {
    auto votes = at::zeros({layout[bucket].elements});
    for (const auto& rank : gradients) votes += rank[bucket].ge(0).to(at::kFloat) * 2 - 1;
    EXPECT_TRUE(at::equal(means[0][bucket], votes.sign()));
  }
}

TEST(SignSgd, LetsChanceDecideTies) {
  const auto layout = layout_of({{400}});
  auto ranks = ranks_of(choice("signsgd"), 2, layout);
  const auto mean = ranks.exchange({{at::ones({400})}, {at::full({400}, -1.0F)}})[1][0];
  EXPECT_TRUE(at::equal(mean.abs(), at::ones({400})));
  EXPECT_LT(std::fabs(mean.sum().item<float>()), 5 * 20) << "deviation 20";
}

TEST(EfSignSgd, IsTheReferenceWhoseResidualFollowsTheLearningRate) {
  const auto layout = layout_of({{20, 12}});
  auto ranks = ranks_of(choice("ef-signsgd"), 3, layout);
  std::vector<at::Tensor> residuals(3, at::zeros({32}));
  double previous_lr = 0.1;
  for (const double lr : {0.1, 0.05, 0.05, 0.2}) {
    const auto gradients = integer_gradients(layout, 3, 30, static_cast<std::int64_t>(1000 * lr));
    // Algorithm 1 of EF-SignSGD's paper compresses lr times the gradient, plus the residual.
    auto step = at::zeros({32});
    for (std::size_t rank = 0; rank < 3; ++rank) {
      const auto p = gradients[rank][0] * lr + residuals[rank];
      std::vector<at::Tensor> parts;
      for (const auto& part : {p.narrow(0, 0, 20), p.narrow(0, 20, 12)}) {
        parts.push_back(part.abs().mean() * (part.ge(0).to(at::kFloat) * 2 - 1));
      }
      const auto sent = at::cat(parts);
      residuals[rank] = p - sent;
      step += sent / 3;
    }
    ranks.set_rates(lr, previous_lr);
    previous_lr = lr;
    EXPECT_TRUE(at::allclose(ranks.exchange(gradients)[0][0] * lr, step, 1e-4, 1e-5)) << lr;
  }
}

}  // namespace
}  // namespace pacbench::trainer::test::selection_methods_test
