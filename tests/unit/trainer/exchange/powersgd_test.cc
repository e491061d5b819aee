// Properties of PowerSGD; AgainstPyTorch compares its trainings with those of torch's hook.
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
  return test::ranks_of(choice("powersgd", options), size, kLayout);
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

TEST(PowerSgd, LeavesVectorsAsTheyAre) {
  auto ranks = ranks_of({{"rank", 1}}, 4);
  const auto gradients = integer_gradients(kLayout, 4, 9, 5);
  EXPECT_TRUE(
      at::equal(vector_of(ranks.exchange(gradients)[2][0]), vector_of(dense_mean(gradients, 0))));
}

TEST(PowerSgd, ComesBackFromGradientsOfZeros) {
  auto ranks = ranks_of({{"rank", 2}, {"error_feedback", false}}, 2);
  ranks.exchange(Gradients(2, {at::zeros({kLayout[0].elements})}));
  const auto means = ranks.exchange(integer_gradients(kLayout, 2, 9, 6));
  EXPECT_GT(matrix_of(means[0][0]).abs().max().item<float>(), 1);
}

}  // namespace
}  // namespace pacbench::trainer::test::powersgd_test
