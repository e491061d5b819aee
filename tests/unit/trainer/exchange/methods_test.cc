#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "tests/unit/trainer/exchange/thread_ranks.h"

namespace pacbench::trainer::test::methods_test {
namespace {

const Layout kLayout = layout_of({{40, 8}, {60}, {25, 5}});

ThreadRanks ranks_of(const Choice& method, int size = 4) {
  return ThreadRanks{size, kLayout, [method] { return make_method(method); }};
}

TEST(AllReduce, IsTheDenseMeanExactly) {
  const auto gradients = integer_gradients(kLayout, 4, 1000, 1);
  auto ranks = ranks_of(choice("all-reduce"));
  const auto means = ranks.exchange(gradients);
  for (std::size_t bucket = 0; bucket < kLayout.size(); ++bucket) {
    EXPECT_TRUE(at::equal(means[0][bucket], dense_mean(gradients, bucket)));
  }
}

TEST(Half, IsWithinTheRoundingOfItsType) {
  const auto gradients = integer_gradients(kLayout, 4, 1000, 1);
  for (const auto* sum : {"ring", "direct"}) {
    for (const auto& [name, relative] : {std::pair{"fp16", 4e-3}, std::pair{"bf16", 3e-2}}) {
      auto ranks = ranks_of(choice(name, {{"sum", sum}}));
      const auto means = ranks.exchange(gradients);
      for (std::size_t bucket = 0; bucket < kLayout.size(); ++bucket) {
        EXPECT_TRUE(at::allclose(means[0][bucket], dense_mean(gradients, bucket), relative, 2.0))
            << name << ' ' << sum;
      }
    }
  }
}

TEST(Half, DoesNotOverflowWhereOnlyTheSumWould) {
  const auto layout = layout_of({{4}});
  const Gradients near_the_largest_half(8, {at::full({4}, 60000.0F)});
  for (const auto* sum : {"ring", "direct"}) {
    ThreadRanks ranks{8, layout, [sum] { return make_method(choice("fp16", {{"sum", sum}})); }};
    // A ring rounds at each hop; an overflow would be infinite.
    EXPECT_TRUE(
        at::allclose(ranks.exchange(near_the_largest_half)[0][0], at::full({4}, 60000.0F), 2e-3));
  }
}

/// Top-k by sorting, one worker at a time: the plain reference.
class ReferenceTopK {
 public:
  explicit ReferenceTopK(std::size_t kept) : kept_{kept} {}

  std::vector<float> mean(const Gradients& gradients, std::size_t bucket) {
    residuals_.resize(gradients.size());
    const auto elements = static_cast<std::size_t>(gradients[0][bucket].numel());
    std::vector<float> sum(elements, 0);
    for (std::size_t rank = 0; rank < gradients.size(); ++rank) {
      auto& residual = residuals_[rank];
      residual.resize(elements, 0);
      const auto* gradient = gradients[rank][bucket].data_ptr<float>();
      for (std::size_t i = 0; i < elements; ++i) residual[i] += gradient[i];
      std::vector<std::size_t> order(elements);
      std::iota(order.begin(), order.end(), 0);
      std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return std::fabs(residual[a]) > std::fabs(residual[b]);
      });
      for (std::size_t i = 0; i < kept_; ++i) {
        sum[order[i]] += std::exchange(residual[order[i]], 0.0F);
      }
    }
    for (auto& value : sum) value /= static_cast<float>(gradients.size());
    return sum;
  }

 private:
  std::size_t kept_;
  std::vector<std::vector<float>> residuals_;
};

TEST(TopK, SendsTheLargestAndFeedsTheRestBack) {
  const auto layout = layout_of({{50}});
  ThreadRanks ranks{3, layout, [] { return make_method(choice("topk", {{"ratio", 0.1}})); }};
  ReferenceTopK reference{5};
  for (int iteration = 0; iteration < 6; ++iteration) {
    // Distinct magnitudes, so that the k largest are one set.
    auto gradients = integer_gradients(layout, 3, 1 << 20, 10 + iteration);
    const auto expected = reference.mean(gradients, 0);
    const auto means = ranks.exchange(gradients);
    const auto* found = means[0][0].data_ptr<float>();
    for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_FLOAT_EQ(found[i], expected[i]);
  }
}

TEST(TopK, LosesNothingOverTime) {
  // With four ranks the mean of whole numbers is exact in any order.
  const auto layout = layout_of({{50}});
  ThreadRanks ranks{4, layout, [] { return make_method(choice("topk", {{"ratio", 0.2}})); }};
  const auto gradients = integer_gradients(layout, 4, 30, 4);
  auto received = ranks.exchange(gradients)[0][0];
  const Gradients nothing(4, {at::zeros({50})});
  for (int iteration = 0; iteration < 4; ++iteration) received += ranks.exchange(nothing)[0][0];
  // Five rounds each send a fifth, so the residual is used up and everything has arrived.
  EXPECT_TRUE(at::allclose(received, dense_mean(gradients, 0)));
}

TEST(TopK, GivesTheSameBitsHoweverItsIndicesTravel) {
  for (const double ratio : {0.01, 0.1, 0.6}) {
    auto packed = ranks_of(choice("topk", {{"ratio", ratio}}));
    auto plain = ranks_of(choice("topk", {{"ratio", ratio}, {"indices", "int32"}}));
    for (int iteration = 0; iteration < 4; ++iteration) {
      const auto gradients = integer_gradients(kLayout, 4, 1000, 20 + iteration);
      const auto expected = plain.exchange(gradients);
      const auto found = packed.exchange(gradients);
      for (std::size_t bucket = 0; bucket < kLayout.size(); ++bucket) {
        EXPECT_TRUE(at::equal(found[2][bucket], expected[2][bucket])) << ratio;
      }
    }
  }
}

TEST(TopK, WithoutErrorFeedbackForgetsWhatItDidNotSend) {
  const auto layout = layout_of({{50}});
  ThreadRanks ranks{
      3, layout, [] {
        return make_method(choice("topk", {{"ratio", 0.2}, {"error_feedback", false}}));
      }};
  ranks.exchange(integer_gradients(layout, 3, 30, 4));
  const Gradients nothing(3, {at::zeros({50})});
  EXPECT_TRUE(at::equal(ranks.exchange(nothing)[0][0], at::zeros({50})));
}

TEST(TopK, WithEverythingKeptIsTheDenseMean) {
  const auto gradients = integer_gradients(kLayout, 4, 30, 5);
  auto ranks = ranks_of(choice("topk", {{"ratio", 1.0}}));
  const auto means = ranks.exchange(gradients);
  EXPECT_TRUE(at::equal(means[3][1], dense_mean(gradients, 1)));
}

}  // namespace
}  // namespace pacbench::trainer::test::methods_test
