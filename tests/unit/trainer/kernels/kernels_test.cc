// Compares the kernels, as methods call them, with torch's own functions on the same tensors.
// Those that move values by masks are tested by PacTrain's means (exchange/pactrain_test.cc).
#include "trainer/kernels/kernels.h"

#include <ATen/Functions.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include <limits>

#include "trainer/kernels/largest.h"

namespace pacbench::trainer {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

constexpr float kInfinity = std::numeric_limits<float>::infinity();

/// A gradient and the mask that keeps about half of it.
struct Sample {
  at::Tensor values;
  at::Tensor mask;
  KeptBits kept;

  explicit Sample(std::int64_t elements) {
    torch::manual_seed(elements);
    values = torch::randn({elements});
    mask = torch::rand({elements}) < 0.5;
    kept = kept_bits(mask);
  }
};

TEST(KeptBits, CountWhatTheMaskKeeps) {
  for (const int elements : {0, 1, 63, 64, 65, 1000}) {
    const Sample sample{elements};
    EXPECT_EQ(sample.kept.elements, elements);
    EXPECT_EQ(sample.kept.kept, sample.mask.sum().item<std::int64_t>());
    const auto same = kept_bits(sample.kept.words.clone(), elements);
    EXPECT_EQ(same.kept, sample.kept.kept);
    const auto all = keep_all(elements);
    EXPECT_EQ(all.kept, elements);
    EXPECT_TRUE(at::equal(all.words, kept_bits(at::ones({elements}, at::kBool)).words));
  }
}

TEST(MomentsOfKept, AreThoseOfTheCompactedValues) {
  const Sample sample{1000};
  const auto inside = sample.values.masked_select(sample.mask);
  const auto found = moments(sample.values, sample.kept);
  EXPECT_EQ(found.largest, inside.abs().max().item<float>());
  EXPECT_NEAR(found.sum_of_squares, inside.to(at::kDouble).square().sum().item<double>(), 1e-9);
  EXPECT_EQ(moments(at::empty({0}), keep_all(0)).largest, 0);
}

TEST(Quantise, WithOneLevelGivesTernGradsDigits) {
  const Sample sample{1000};
  const RandomKey key{.seed = 7, .rank = 2, .iteration = 40, .parameter = 5};
  auto uniform = at::empty({1000});
  fill_uniform(key, 0, 1000, uniform.data_ptr<float>());
  const float inverse = 0.4F;
  const auto taken = uniform < sample.values.abs() * inverse;
  const auto digits = (taken * sample.values.sign()).masked_select(sample.mask).to(at::kChar);
  auto found = at::empty({sample.kept.kept}, at::kChar);
  quantise(sample.values, sample.kept, inverse, 1, key, found);
  EXPECT_TRUE(at::equal(found, digits));
}

TEST(Kernels, NameTheTensorThatTheyCannotTake) {
  const auto kept = keep_all(10);
  EXPECT_THAT([] { kept_bits(at::full({1}, 0b10000, at::kLong), 4); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("expected 0 from bit 4 on")));
  EXPECT_THAT([&] { compact(at::zeros({9}), kept, at::zeros({10})); },
              ThrowsMessage<std::invalid_argument>(
                  HasSubstr("values is Float[9] on cpu, expected Float[10] on cpu")));
  EXPECT_THAT([&] { compact(at::zeros({10}), kept, at::zeros({20}).slice(0, 0, 20, 2)); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("out is Float[10] (not contiguous)")));
  EXPECT_THAT([&] { quantise(at::zeros({10}), kept, 1, 128, {}, at::zeros({10}, at::kChar)); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("128 levels, expected 1 to 127")));
  EXPECT_THAT(
      [&] {
        pack(at::zeros({10}, at::kChar), 1, {2, 8}, at::zeros({1}, at::kLong));
      },
      ThrowsMessage<std::invalid_argument>(HasSubstr("expected LaneLayout::of(2)")));
}

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
  EXPECT_EQ(largest(at::zeros({4}), 0).numel(), 0);
}

TEST(Largest, TakeInfinityAndWhatIsNoNumberFirst) {
  const auto values = torch::tensor({3.0F, -kInfinity, 1e30F, std::nanf(""), 1e-45F, -0.0F});
  EXPECT_TRUE(at::equal(largest(values, 2), indices({1, 3})));
  EXPECT_TRUE(at::equal(largest(values, 5), indices({0, 1, 2, 3, 4})));
}

}  // namespace
}  // namespace pacbench::trainer
