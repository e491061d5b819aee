// 1-bit Adam and distributed Lion: compares the updates that they apply with plain references.
// AgainstPyTorch compares trainings by distributed Lion.
#include <gtest/gtest.h>

#include "tests/unit/trainer/exchange/thread_ranks.h"

namespace pacbench::trainer::test::own_optimizers_test {
namespace {

RunFacts run_of(std::int64_t iterations) {
  RunFacts run;
  run.max_iterations = iterations;
  return run;
}

TEST(OneBitAdam, BeginsAsAdamOfTheMeanGradientWithoutBiasCorrection) {
  auto ranks = ranks_of(choice("one-bit-adam"), 3, layout_of({{40}}), run_of(100));
  auto momentum = at::zeros({40});
  auto variance = at::zeros({40});
  for (int iteration = 0; iteration < 4; ++iteration) {
    const auto gradients = ranks.gradients(20, iteration);
    const auto mean = dense_mean(gradients, 0);
    momentum = 0.9 * momentum + 0.1 * mean;
    variance = 0.999 * variance + 0.001 * mean * mean;
    const auto expected = momentum / (variance.sqrt() + 1e-8);
    const auto applied = ranks.exchange(gradients)[2][0];
    EXPECT_TRUE(at::allclose(applied, expected.nan_to_num(), 1e-4, 1e-5)) << iteration;
  }
}

TEST(OneBitAdam, ThenSendsABitAnEntryAndKeepsItsVariance) {
  const auto method = choice("one-bit-adam", {{"dense_share", 0.5}});
  auto ranks = ranks_of(method, 4, layout_of({{3200}}), run_of(2));
  const auto gradients = ranks.gradients(20, 1);
  // Adam's first step is (0.1 g) / (sqrt(0.001) g), and its variance stays.
  const auto dense = ranks.exchange(gradients)[0][0];
  constexpr int kRounds = 200;
  const auto found = sum_of_means(ranks, gradients, kRounds) / kRounds;
  EXPECT_EQ(ranks.payloads()[0], 3 * (4 + 800 / 8));
  // With the same gradients in each round the momentum becomes their mean, and error feedback
  // delivers it. So the updates are ten times the first step, but for the rounds in which the
  // momentum grew.
  const auto where = dense_mean(gradients, 0).abs() > 2;
  const auto ratio = (found / dense).masked_select(where).median().item<double>();
  EXPECT_NEAR(ratio, 10, 1.5);
}

TEST(OneBitAdam, LeavesWhatNeverHadAGradientWhereItIs) {
  const auto method = choice("one-bit-adam", {{"dense_share", 0.5}});
  auto ranks = ranks_of(method, 2, layout_of({{64}}), run_of(2));
  for (int i = 0; i < 3; ++i) {
    auto gradients = ranks.gradients(20, 1);
    for (auto& rank : gradients) rank[0].narrow(0, 0, 32).zero_();
    const auto applied = ranks.exchange(gradients)[0][0];
    EXPECT_TRUE(at::equal(applied.narrow(0, 0, 32), at::zeros({32}))) << i;
  }
}

TEST(OneBitAdam, MakesNothingOfTheZerosThatFillALastShareUp) {
  // The second rank's share is entry 2 and a zero that pads it.
  auto ranks = ranks_of(choice("one-bit-adam", {{"beta1", 0}}), 2, layout_of({{3}}), run_of(1));
  const auto gradient = at::full({3}, 4.0F);
  ranks.exchange(Gradients(2, {gradient}));
  auto opposite = gradient.clone();
  opposite[2] = -4;
  const auto applied = ranks.exchange({{gradient}, {opposite}})[0][0];
  EXPECT_NE(applied[0].item<float>(), 0);
  EXPECT_EQ(applied[2].item<float>(), 0) << "what the ranks send for entry 2 cancels out";
}

TEST(DistributedLion, AveragesSignsInAsManyBitsAsCountThem) {
  auto ranks = ranks_of(choice("distributed-lion", {{"vote", "average"}}), 5, layout_of({{800}}));
  const auto gradients = ranks.gradients(20, 3);
  auto expected = at::zeros({800});
  for (const auto& rank : gradients) expected += rank[0].ge(0).to(at::kFloat) * 2 - 1;
  EXPECT_TRUE(at::allclose(ranks.exchange(gradients)[0][0], expected / 5));
  // A bit for each of four others' entries; then 0 to 5 takes 3 bits, 21 of these take 8 bytes.
  EXPECT_EQ(ranks.payloads(), (std::vector<std::int64_t>{4 * 160 / 8, (160 + 20) / 21 * 8}));
}

}  // namespace
}  // namespace pacbench::trainer::test::own_optimizers_test
