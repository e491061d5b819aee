// Methods that round, top-k, PowerSGD, 1-bit Adam and distributed Lion: what AgainstPyTorch, which
// compares trainings with others, does not see.
#include <gtest/gtest.h>

#include "tests/unit/trainer/exchange/thread_ranks.h"

namespace pacbench::trainer::test::methods_test {
namespace {

TEST(Half, IsWithinTheRoundingOfItsType) {
  const auto layout = layout_of({{40, 8}, {60}, {25, 5}});
  const auto gradients = integer_gradients(layout, 4, 1000, 1);
  for (const auto* sum : {"ring", "direct"}) {
    for (const auto& [name, relative] : {std::pair{"fp16", 4e-3}, std::pair{"bf16", 3e-2}}) {
      auto ranks = ranks_of(choice(name, {{"sum", sum}}), 4, layout);
      EXPECT_TRUE(at::allclose(at::cat(ranks.exchange(gradients)[0]),
                               at::cat(dense_means(gradients)), relative, 2.0))
          << name << ' ' << sum;
    }
  }
}

TEST(Half, DoesNotOverflowWhereOnlyTheSumWould) {
  const auto nearly_the_largest = at::full({4}, 60000.0F);
  for (const auto* sum : {"ring", "direct"}) {
    auto ranks = ranks_of(choice("fp16", {{"sum", sum}}), 8, layout_of({{4}}));
    const auto mean = ranks.exchange(Gradients(8, {nearly_the_largest}))[0][0];
    // A ring rounds at each hop; an overflow would be infinite.
    EXPECT_TRUE(at::allclose(mean, nearly_the_largest, 2e-3));
  }
}

TEST(TopK, WithoutErrorFeedbackForgetsWhatItDidNotSend) {
  const auto method = choice("topk", {{"ratio", 0.2}, {"error_feedback", false}});
  auto ranks = ranks_of(method, 3, layout_of({{50}}));
  ranks.exchange(ranks.gradients(30, 4));
  EXPECT_TRUE(at::equal(ranks.exchange(ranks.gradients(0, 4))[0][0], at::zeros({50})));
}

TEST(TopK, HasTheSameBitsWithIndicesAsTheyAreAndOfDgcWithoutMomentumAndWarmUp) {
  const auto layout = layout_of({{40, 8}, {60}, {25, 5}});
  const auto expect_bits_of = [&](const Choice& other, double ratio) {
    SCOPED_TRACE(other.name + other.options.dump());
    auto top_k = ranks_of(choice("topk", {{"ratio", ratio}}), 4, layout);
    auto others = ranks_of(other, 4, layout);
    for (int iteration = 0; iteration < 6; ++iteration) {
      const auto gradients = integer_gradients(layout, 4, 1 << 20, 20 + iteration);
      EXPECT_TRUE(equal_bits(top_k.exchange(gradients)[2], others.exchange(gradients)[2]));
    }
  };
  for (const double ratio : {0.01, 0.1, 0.6}) {
    expect_bits_of(choice("topk", {{"ratio", ratio}, {"indices", "int32"}}), ratio);
  }
  expect_bits_of(choice("dgc", {{"ratio", 0.1}, {"warm_up_iterations", 0}}), 0.1);
}

TEST(PowerSgd, ComesBackFromGradientsOfZeros) {
  auto layout = layout_of({{12 * 20, 7}});
  layout[0].slices[0].shape = {12, 4, 5};
  const Json options{{"rank", 2}, {"error_feedback", false}, {"dense_iterations", 0}};
  auto ranks = ranks_of(choice("powersgd", options), 2, layout);
  ranks.exchange(ranks.gradients(0, 6));
  const auto means = ranks.exchange(ranks.gradients(9, 6));
  EXPECT_GT(means[0][0].narrow(0, 0, 12 * 20).abs().max().item<float>(), 1);
}

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
}  // namespace pacbench::trainer::test::methods_test
