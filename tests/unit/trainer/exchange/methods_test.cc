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

/// Two methods, or one with other options, that must give the same bits.
class SameMethod : public ::testing::TestWithParam<std::pair<Choice, Choice>> {};

TEST_P(SameMethod, GivesTheSameBits) {
  const auto layout = layout_of({{40, 8}, {60}, {25, 5}});
  auto one = ranks_of(GetParam().first, 4, layout);
  auto other = ranks_of(GetParam().second, 4, layout);
  for (int iteration = 0; iteration < 6; ++iteration) {
    const auto gradients = integer_gradients(layout, 4, 1 << 20, 20 + iteration);
    EXPECT_TRUE(equal_bits(one.exchange(gradients)[2], other.exchange(gradients)[2])) << iteration;
  }
}

std::pair<Choice, Choice> packed_and_plain_indices(double ratio) {
  return {choice("topk", {{"ratio", ratio}}),
          choice("topk", {{"ratio", ratio}, {"indices", "int32"}})};
}

INSTANTIATE_TEST_SUITE_P(
    All, SameMethod,
    ::testing::Values(packed_and_plain_indices(0.01), packed_and_plain_indices(0.1),
                      packed_and_plain_indices(0.6),
                      // DGC without momentum and warm-up is top-k with error feedback.
                      std::pair{choice("dgc", {{"ratio", 0.1}, {"warm_up_iterations", 0}}),
                                choice("topk", {{"ratio", 0.1}})}));

}  // namespace
}  // namespace pacbench::trainer::test::methods_test
