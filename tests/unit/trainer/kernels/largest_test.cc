#include "trainer/kernels/largest.h"

#include <ATen/Functions.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include <limits>

namespace pacbench::trainer {
namespace {

constexpr float kInfinite = std::numeric_limits<float>::infinity();

at::Tensor indices(std::initializer_list<std::int64_t> values) {
  return torch::tensor(std::vector<std::int64_t>{values}, at::kLong);
}

TEST(Largest, AreThoseOfTorch) {
  for (const std::int64_t elements : {1, 2, 63, 1000, 100'003}) {
    torch::manual_seed(elements);
    const auto values = torch::randn({elements}) * torch::randn({elements}).exp();
    for (const double share : {0.001, 0.01, 0.5, 1.0}) {
      const auto count = std::max<std::int64_t>(
          1, static_cast<std::int64_t>(share * static_cast<double>(elements)));
      const auto expected = std::get<0>(std::get<1>(values.abs().topk(count)).sort());
      EXPECT_TRUE(at::equal(largest(values, count), expected)) << count << " of " << elements;
    }
  }
}

TEST(Largest, OfEqualOnesAreTheFirst) {
  EXPECT_TRUE(
      at::equal(largest(torch::tensor({1.0F, -2.0F, 2.0F, 0.5F, 2.0F}), 2), indices({1, 2})));
  EXPECT_TRUE(at::equal(largest(at::zeros({5}), 3), indices({0, 1, 2})));
}

TEST(Largest, TakeInfinityAndWhatIsNoNumberFirst) {
  const auto values = torch::tensor({3.0F, -kInfinite, 1e30F, std::nanf(""), 1e-45F, -0.0F});
  EXPECT_TRUE(at::equal(largest(values, 2), indices({1, 3})));
  EXPECT_TRUE(at::equal(largest(values, 5), indices({0, 1, 2, 3, 4})));
}

TEST(Largest, OfNoneAreNone) { EXPECT_EQ(largest(at::zeros({4}), 0).numel(), 0); }

}  // namespace
}  // namespace pacbench::trainer
