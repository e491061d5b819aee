// THC: it is unbiased within its range, near the mean, and independent of the number of workers.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/unit/trainer/exchange/thread_ranks.h"
#include "trainer/kernels/hadamard.h"

namespace pacbench::trainer::test::thc_test {
namespace {

double relative_error(const at::Tensor& found, const at::Tensor& expected) {
  return ((found - expected).norm() / expected.norm()).item<double>();
}

TEST(Hadamard, IsItsOwnInverseAndKeepsLengths) {
  const auto rows = at::arange(1, 2 * 64 + 1, at::kFloat).view({2, 64});
  const auto turned = hadamard(rows);
  EXPECT_FLOAT_EQ(turned[1][0].item<float>(), rows[1].sum().item<float>() / 8);
  EXPECT_TRUE(at::allclose(turned.norm(2, {1}), rows.norm(2, {1})));
  EXPECT_TRUE(at::allclose(hadamard(turned), rows, 1e-5, 1e-4));
}

TEST(Thc, IsNearTheMeanAndTheTableNearerThanEqualSteps) {
  const auto layout = layout_of({{10000}});
  const auto gradients = integer_gradients(layout, 4, 30, 1);
  const auto mean = dense_mean(gradients, 0);
  const auto error = [&](const char* table) {
    auto ranks = ranks_of(choice("thc", {{"table", table}, {"error_feedback", false}}), 4, layout);
    double sum = 0;
    for (int i = 0; i < 20; ++i) sum += relative_error(ranks.exchange(gradients)[0][0], mean);
    return sum / 20;
  };
  EXPECT_LT(error("30"), 0.2);
  EXPECT_LT(error("30"), error("uniform"));
}

TEST(Thc, WithErrorFeedbackDeliversWhatItRoundedOff) {
  const auto layout = layout_of({{5000}});
  auto ranks = ranks_of(choice("thc"), 3, layout);
  const auto gradients = integer_gradients(layout, 3, 30, 1);
  auto received = at::zeros({5000});
  constexpr int kRounds = 40;
  for (int round = 0; round < kRounds; ++round) {
    received += ranks.exchange(copy_of(gradients))[0][0];
  }
  // Without error feedback the errors would shrink only with the root of the number of exchanges.
  EXPECT_LT(relative_error(received / kRounds, dense_mean(gradients, 0)), 0.2 / kRounds * 4);
}

TEST(Thc, SendsFourBitsAndGetsEightOrSixteenForMoreThanEightWorkers) {
  const auto layout = layout_of({{4096 * 10}});
  for (const int size : {5, 10}) {
    auto ranks = ranks_of(choice("thc"), size, layout);
    ranks.exchange(integer_gradients(layout, size, 30, 1));
    const auto& calls = ranks.engine(0).trace().front().collectives;
    ASSERT_EQ(calls.size(), 3U);
    const auto share = 4096 * 10 / size;
    EXPECT_EQ(calls[1].payload_bytes, share / 2 * (size - 1));
    EXPECT_EQ(calls[2].payload_bytes, share * (size > 8 ? 2 : 1));
  }
}

}  // namespace
}  // namespace pacbench::trainer::test::thc_test
