// Masks of whole filters and channels, and the smaller tensor that they leave of a layer.
#include "trainer/averaging/structured_mask.h"

#include <ATen/Functions.h>
#include <gtest/gtest.h>

namespace pacbench::trainer::test::structured_mask_test {
namespace {

TEST(StructuredMask, CompactsConvolutionsAndPutsThemBackWithZerosElsewhere) {
  const auto weights = at::arange(1, 1 + 6 * 4 * 9, at::kFloat).view({6, 4, 3, 3});
  const auto filters = at::tensor({1, 4, 5}, at::kLong);
  const auto channels = at::tensor({0, 3}, at::kLong);
  for (const auto& mask : {StructuredMask{filters, {}}, StructuredMask{{}, channels},
                           StructuredMask{filters, channels}, StructuredMask{}}) {
    auto expected = weights.clone();
    for (std::int64_t row = 0; row < 6; ++row) {
      for (std::int64_t column = 0; column < 4; ++column) {
        const bool kept = (!mask.filters.defined() || filters.eq(row).any().item<bool>()) &&
                          (!mask.channels.defined() || channels.eq(column).any().item<bool>());
        if (!kept) expected[row][column].zero_();
      }
    }
    const auto kept = mask.compact(weights);
    EXPECT_TRUE(at::equal(kept, expected.masked_select(expected.ne(0))));
    auto back = at::full_like(weights, 7);
    mask.expand(kept, back);
    EXPECT_TRUE(at::equal(back, expected));
    auto zeroed = weights.clone();
    mask.zero_outside(zeroed);
    EXPECT_TRUE(at::equal(zeroed, expected));
  }
}

}  // namespace
}  // namespace pacbench::trainer::test::structured_mask_test
