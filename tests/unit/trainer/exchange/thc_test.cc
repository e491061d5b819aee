// THC: it is unbiased within its range, near the mean, and independent of the number of workers.
#include <gtest/gtest.h>

#include "tests/unit/trainer/exchange/thread_ranks.h"

namespace pacbench::trainer::test::thc_test {
namespace {

double relative_error(const at::Tensor& found, const at::Tensor& expected) {
  return ((found - expected).norm() / expected.norm()).item<double>();
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
  auto ranks = ranks_of(choice("thc"), 3, layout_of({{5000}}));
  const auto gradients = ranks.gradients(30, 1);
  constexpr int kRounds = 40;
  const auto mean = sum_of_means(ranks, gradients, kRounds) / kRounds;
  // Without error feedback the errors would shrink only with the root of the number of exchanges.
  EXPECT_LT(relative_error(mean, dense_mean(gradients, 0)), 0.2 / kRounds * 4);
}

TEST(Thc, SendsFourBitsAndGetsEightOrSixteenForMoreThanEightWorkers) {
  for (const int size : {5, 10}) {
    auto ranks = ranks_of(choice("thc"), size, layout_of({{4096 * 10}}));
    ranks.exchange(ranks.gradients(30, 1));
    const auto payloads = ranks.payloads();
    ASSERT_EQ(payloads.size(), 3U);
    const auto share = 4096 * 10 / size;
    EXPECT_EQ(payloads[1], share / 2 * (size - 1));
    EXPECT_EQ(payloads[2], share * (size > 8 ? 2 : 1));
  }
}

}  // namespace
}  // namespace pacbench::trainer::test::thc_test
