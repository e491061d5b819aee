// Random draws, Random-K, DGC, QSGD and sign-SGD. AgainstPyTorch compares DGC, EF21 and the sign
// methods with plain versions of them.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/unit/trainer/exchange/thread_ranks.h"
#include "trainer/encoding/random_draws.h"

namespace pacbench::trainer::test::selection_methods_test {
namespace {

TEST(RandomPositions, AreDifferentAscendAndHitEachPlaceEquallyOften) {
  std::vector<int> hits(10, 0);
  for (std::int64_t iteration = 0; iteration < 4000; ++iteration) {
    RandomKey key;
    key.iteration = iteration;
    for (const std::int64_t count : {3, 7}) {
      const auto places = random_positions(key, count, 10, at::kCPU);
      ASSERT_EQ(places.numel(), count);
      EXPECT_TRUE(places.diff().gt(0).all().item<bool>()) << places;
      const auto* place = places.data_ptr<std::int64_t>();
      for (std::int64_t i = 0; i < count; ++i) ++hits.at(static_cast<std::size_t>(place[i]));
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
  auto ranks = ranks_of(choice("random-k", {{"ratio", 0.2}}), 3, layout_of({{30}}));
  const auto gradients = ranks.gradients(30, 4);
  constexpr int kRounds = 600;
  const auto mean = dense_mean(gradients, 0);
  // In each round an entry gets 5 times its value with probability 1/5, else 0. The deviation is
  // 2 |value|.
  const auto error = (sum_of_means(ranks, gradients, kRounds) / kRounds - mean).abs();
  EXPECT_TRUE((error <= mean.abs() * 5 * 2 / std::sqrt(kRounds)).all().item<bool>());
}

TEST(Dgc, WarmsUpInFiveStagesToItsShare) {
  const auto method = choice("dgc", {{"ratio", 0.001}, {"warm_up_iterations", 5}});
  auto ranks = ranks_of(method, 2, layout_of({{1000}}));
  std::vector<std::int64_t> sent;
  for (int iteration = 0; iteration < 6; ++iteration) {
    const auto one = ranks.gradients(1 << 20, iteration)[0];
    const auto means = ranks.exchange({one, one});
    sent.push_back(means[0][0].count_nonzero().item<std::int64_t>());
  }
  EXPECT_EQ(sent, (std::vector<std::int64_t>{251, 63, 16, 4, 1, 1}));
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

TEST(SignSgd, LetsChanceDecideTies) {
  auto ranks = ranks_of(choice("signsgd"), 2, layout_of({{400}}));
  const auto mean = ranks.exchange({{at::ones({400})}, {at::full({400}, -1.0F)}})[1][0];
  EXPECT_TRUE(at::equal(mean.abs(), at::ones({400})));
  EXPECT_LT(std::fabs(mean.sum().item<float>()), 5 * 20) << "deviation 20";
}

}  // namespace
}  // namespace pacbench::trainer::test::selection_methods_test
