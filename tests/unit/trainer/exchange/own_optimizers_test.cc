// 1-bit Adam and distributed Lion: compares the updates that they apply with plain references.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/unit/trainer/exchange/thread_ranks.h"

namespace pacbench::trainer::test::own_optimizers_test {
namespace {

RunFacts run_of(std::int64_t iterations) {
  RunFacts run;
  run.max_iterations = iterations;
  return run;
}

TEST(OneBitAdam, BeginsAsAdamOfTheMeanGradientWithoutBiasCorrection) {
  const auto layout = layout_of({{40}});
  auto ranks = ranks_of(choice("one-bit-adam"), 3, layout, run_of(100));
  auto momentum = at::zeros({40});
  auto variance = at::zeros({40});
  for (int iteration = 0; iteration < 4; ++iteration) {
    const auto gradients = integer_gradients(layout, 3, 20, iteration);
    const auto mean = dense_mean(gradients, 0);
    momentum = 0.9 * momentum + 0.1 * mean;
    variance = 0.999 * variance + 0.001 * mean * mean;
    const auto expected = momentum / (variance.sqrt() + 1e-8);
    const auto applied = ranks.exchange(copy_of(gradients))[2][0];
    EXPECT_TRUE(at::allclose(applied, expected.nan_to_num(), 1e-4, 1e-5)) << iteration;
  }
}

TEST(OneBitAdam, ThenSendsABitAnEntryAndKeepsItsVariance) {
  const auto layout = layout_of({{3200}});
  auto ranks = ranks_of(choice("one-bit-adam", {{"dense_share", 0.5}}), 4, layout, run_of(2));
  const auto gradients = integer_gradients(layout, 4, 20, 1);
  const auto dense = ranks.exchange(copy_of(gradients))[0][0];
  // Adam's first step is (0.1 g) / (sqrt(0.001) g), and its variance stays.
  const auto mean = dense_mean(gradients, 0);
  auto sum = at::zeros({3200});
  constexpr int kRounds = 200;
  for (int i = 0; i < kRounds; ++i) sum += ranks.exchange(copy_of(gradients))[0][0];
  const auto& calls = ranks.engine(0).trace().front().collectives;
  EXPECT_EQ(calls[0].payload_bytes, 3 * (4 + 800 / 8));
  // With the same gradients in each round the momentum becomes their mean, and error feedback
  // delivers it. So the updates are ten times the first step, but for the rounds in which the
  // momentum grew.
  const auto found = sum / kRounds;
  const auto where = mean.abs() > 2;
  const auto ratio = (found / dense).masked_select(where).median().item<double>();
  EXPECT_NEAR(ratio, 10, 1.5);
}

TEST(OneBitAdam, LeavesWhatNeverHadAGradientWhereItIs) {
  const auto layout = layout_of({{64}});
  auto ranks = ranks_of(choice("one-bit-adam", {{"dense_share", 0.5}}), 2, layout, run_of(2));
  for (int i = 0; i < 3; ++i) {
    auto gradients = integer_gradients(layout, 2, 20, 1);
    for (auto& rank : gradients) rank[0].narrow(0, 0, 32).zero_();
    const auto applied = ranks.exchange(gradients)[0][0];
    EXPECT_TRUE(at::equal(applied.narrow(0, 0, 32), at::zeros({32}))) << i;
  }
}

TEST(OneBitAdam, MakesNothingOfTheZerosThatFillALastShareUp) {
  // The second rank's share is entry 2 and a zero that pads it.
  const auto layout = layout_of({{3}});
  auto ranks = ranks_of(choice("one-bit-adam", {{"beta1", 0}}), 2, layout, run_of(1));
  const auto gradient = at::full({3}, 4.0F);
  ranks.exchange(Gradients(2, {gradient.clone()}));
  auto opposite = gradient.clone();
  opposite[2] = -4;
  const auto applied = ranks.exchange({{gradient}, {opposite}})[0][0];
  EXPECT_NE(applied[0].item<float>(), 0);
  EXPECT_EQ(applied[2].item<float>(), 0) << "what the ranks send for entry 2 cancels out";
}

TEST(DistributedLion, OfEqualGradientsIsLion) {
  const auto layout = layout_of({{50}});
  for (const char* vote : {"majority", "average"}) {
    auto ranks = ranks_of(choice("distributed-lion", {{"vote", vote}}), 4, layout);
    auto momentum = at::zeros({50});
    for (int iteration = 0; iteration < 5; ++iteration) {
      const auto gradient = integer_gradients(layout, 1, 20, iteration)[0][0] + 0.5;
      const auto expected = (0.9 * momentum + 0.1 * gradient).sign();
      momentum = 0.99 * momentum + 0.01 * gradient;
      const auto applied = ranks.exchange(copy_of(Gradients(4, {gradient})))[3][0];
      EXPECT_TRUE(at::equal(applied, expected)) << vote << ' ' << iteration;
    }
  }
}

TEST(DistributedLion, AveragesSignsInAsManyBitsAsCountThem) {
  const auto layout = layout_of({{800}});
  auto ranks = ranks_of(choice("distributed-lion", {{"vote", "average"}}), 5, layout);
  const auto gradients = integer_gradients(layout, 5, 20, 3);
  auto expected = at::zeros({800});
  for (const auto& rank : gradients) expected += rank[0].ge(0).to(at::kFloat) * 2 - 1;
  EXPECT_TRUE(at::allclose(ranks.exchange(copy_of(gradients))[0][0], expected / 5));
  const auto& calls = ranks.engine(0).trace().front().collectives;
  EXPECT_EQ(calls[0].payload_bytes, 4 * 160 / 8) << "a bit for each of four others' entries";
  EXPECT_EQ(calls[1].payload_bytes, (160 + 20) / 21 * 8) << "0 to 5 takes 3 bits, 21 to 8 bytes";
}

}  // namespace
}  // namespace pacbench::trainer::test::own_optimizers_test
