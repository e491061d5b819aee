// Compares PowerSGD with plain linear algebra.
#include <ATen/Functions.h>
#include <gtest/gtest.h>

#include "tests/unit/trainer/exchange/thread_ranks.h"

namespace pacbench::trainer::test::powersgd_test {
namespace {

constexpr int kRows = 12;
constexpr int kColumns = 20;

/// A layout with a matrix, and a vector that is sent uncompressed.
Layout layout_of_a_matrix() {
  auto layout = layout_of({{kRows * kColumns, 7}});
  layout[0].slices[0].shape = {kRows, 4, 5};
  return layout;
}

const Layout kLayout = layout_of_a_matrix();

ThreadRanks ranks_of(Json options, int size) {
  options["dense_iterations"] = 0;
  const auto method = choice("powersgd", options);
  return ThreadRanks{size, kLayout, [method] { return make_method(method); }};
}

at::Tensor matrix_of(const at::Tensor& bucket) {
  return bucket.narrow(0, 0, kRows * kColumns).view({kRows, kColumns});
}

at::Tensor vector_of(const at::Tensor& bucket) { return bucket.narrow(0, kRows * kColumns, 7); }

TEST(PowerSgd, OfAMeanOfThatRankIsExact) {
  auto ranks = ranks_of({{"rank", 2}, {"error_feedback", false}}, 3);
  auto gradients = integer_gradients(kLayout, 3, 9, 1);
  // All ranks combine the same two columns, each with weights of its own, so the mean has rank two.
  const auto basis = integer_gradients(layout_of({{kRows * 2}}), 1, 9, 2)[0][0].view({kRows, 2});
  for (std::size_t rank = 0; rank < 3; ++rank) {
    const auto weights = matrix_of(gradients[rank][0]).narrow(0, 0, 2).clone();
    matrix_of(gradients[rank][0]).copy_(at::mm(basis, weights));
  }
  const auto mean = ranks.exchange(gradients)[0][0];
  EXPECT_TRUE(at::allclose(mean, dense_mean(gradients, 0), 1e-4, 1e-3));
}

TEST(PowerSgd, OfTheSameGradientAgainAndAgainBecomesItsBestApproximation) {
  auto ranks = ranks_of({{"rank", 1}, {"error_feedback", false}}, 2);
  auto gradients = integer_gradients(kLayout, 2, 9, 3);
  // One direction stands out, so that few steps of power iteration find it.
  for (auto& rank : gradients) matrix_of(rank[0]).add_(20);
  Gradients means;
  for (int round = 0; round < 60; ++round) means = ranks.exchange(gradients);
  const auto [u, s, v] = at::linalg_svd(matrix_of(dense_mean(gradients, 0)), false);
  const auto best = u.narrow(1, 0, 1) * s[0] * v.narrow(0, 0, 1);
  EXPECT_TRUE(at::allclose(matrix_of(means[0][0]), best, 1e-2, 1e-2));
}

TEST(PowerSgd, LeavesVectorsAsTheyAre) {
  auto ranks = ranks_of({{"rank", 1}}, 4);
  const auto gradients = integer_gradients(kLayout, 4, 9, 5);
  EXPECT_TRUE(
      at::equal(vector_of(ranks.exchange(gradients)[2][0]), vector_of(dense_mean(gradients, 0))));
}

TEST(PowerSgd, WithErrorFeedbackHoldsBackWhatTheMeanLacks) {
  auto ranks = ranks_of({{"rank", 1}}, 3);
  const auto gradients = integer_gradients(kLayout, 3, 9, 6);
  const auto first = ranks.exchange(gradients)[0][0].clone();
  // The mean of the ranks' residuals is what has not arrived yet. With zero gradients it arrives in
  // later rounds.
  auto received = first;
  const Gradients nothing(3, {at::zeros({kLayout[0].elements})});
  for (int round = 0; round < 60; ++round) received += ranks.exchange(nothing)[0][0];
  EXPECT_TRUE(at::allclose(received, dense_mean(gradients, 0), 1e-2, 1e-2));
}

TEST(PowerSgd, ComesBackFromGradientsOfZeros) {
  auto ranks = ranks_of({{"rank", 2}, {"error_feedback", false}}, 2);
  ranks.exchange(Gradients(2, {at::zeros({kLayout[0].elements})}));
  const auto means = ranks.exchange(integer_gradients(kLayout, 2, 9, 6));
  EXPECT_GT(matrix_of(means[0][0]).abs().max().item<float>(), 1);
}

TEST(PowerSgd, BeginsDense) {
  const auto method = choice("powersgd", {{"dense_iterations", 2}});
  ThreadRanks ranks{2, kLayout, [method] { return make_method(method); }};
  for (int iteration = 0; iteration < 3; ++iteration) {
    const auto gradients = integer_gradients(kLayout, 2, 9, iteration);
    const bool is_dense = at::equal(ranks.exchange(gradients)[0][0], dense_mean(gradients, 0));
    EXPECT_EQ(is_dense, iteration < 2);
  }
}

}  // namespace
}  // namespace pacbench::trainer::test::powersgd_test
