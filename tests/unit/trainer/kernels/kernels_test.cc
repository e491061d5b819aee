// Compares the kernels, as methods call them, with torch's own functions on the same tensors.
#include "trainer/kernels/kernels.h"

#include <ATen/Functions.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include <limits>

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

TEST(KeptBits, OfValuesAreThoseThatAreNotZero) {
  const auto values = torch::tensor({0.0F, -0.0F, 1e-45F, -1.0F, kInfinity, std::nanf("")});
  const auto kept = nonzero_bits(values);
  EXPECT_EQ(kept.words.item<std::int64_t>(), 0b111100);
  EXPECT_EQ(kept.kept, 4);
}

TEST(KeptBits, MayHoldNothingBeyondTheLastElement) {
  EXPECT_THAT([] { kept_bits(at::full({1}, 0b10000, at::kLong), 4); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("expected 0 from bit 4 on")));
}

TEST(Compaction, IsMaskedSelectAndItsInverse) {
  for (const int elements : {0, 1, 64, 65, 1000}) {
    const Sample sample{elements};
    auto compacted = at::empty({sample.kept.kept});
    compact(sample.values, sample.kept, compacted);
    EXPECT_TRUE(at::equal(compacted, sample.values.masked_select(sample.mask)));
    auto scattered = at::full({elements}, std::nan(""));
    scatter(compacted, sample.kept, scattered);
    EXPECT_TRUE(at::equal(scattered, sample.values * sample.mask));
  }
}

TEST(Compaction, SeesAndClearsWhatTheMaskDoesNotKeep) {
  Sample sample{1000};
  EXPECT_TRUE(any_outside(sample.values, sample.kept));
  const auto inside = sample.values * sample.mask;
  sample.values.masked_fill_(sample.mask.logical_not(), kInfinity);
  zero_outside(sample.values, sample.kept);
  EXPECT_TRUE(at::equal(sample.values, inside));
  EXPECT_FALSE(any_outside(sample.values, sample.kept));
}

TEST(MomentsOfKept, AreThoseOfTheCompactedValues) {
  Sample sample{1000};
  const auto inside = sample.values.masked_select(sample.mask);
  const auto found = moments(sample.values, sample.kept);
  EXPECT_EQ(found.largest, inside.abs().max().item<float>());
  EXPECT_NEAR(found.sum_of_squares, inside.to(at::kDouble).square().sum().item<double>(), 1e-9);
}

TEST(MomentsOfKept, TellInfinityAndNaN) {
  Sample sample{100};
  const auto kept = keep_all(100);
  sample.values[7] = -kInfinity;
  EXPECT_EQ(moments(sample.values, kept).largest, kInfinity);
  sample.values[70] = std::nanf("");
  EXPECT_TRUE(std::isnan(moments(sample.values, kept).largest));
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

TEST(Quantise, RoundsToOneOfTheTwoNearestLevelsAndClips) {
  const Sample sample{1000};
  const auto kept = keep_all(1000);
  auto digits = at::empty({1000}, at::kChar);
  quantise(sample.values, kept, 3, 7, {}, digits);
  const auto exact = (sample.values * 3).clamp(-7, 7);
  const auto distance = (digits.to(at::kFloat) - exact).abs();
  EXPECT_LT(distance.max().item<float>(), 1);
  EXPECT_GT(distance.max().item<float>(), 0.9F);
  EXPECT_EQ(digits.abs().max().item<int>(), 7);
}

TEST(Levels, AreScatteredAsTheirMultiplesOfTheFactor) {
  const Sample sample{1000};
  for (const auto type : {at::kChar, at::kShort}) {
    const auto levels = torch::randint(-100, 100, {sample.kept.kept}).to(type);
    auto out = at::full({1000}, kInfinity);
    scatter_levels(levels, sample.kept, 0.3F, out);
    EXPECT_TRUE(at::equal(out.masked_select(sample.mask), levels * 0.3F));
    EXPECT_EQ(out.count_nonzero().item<int>(), levels.count_nonzero().item<int>());
  }
}

TEST(Lanes, SumOverRanksComesOutExactly) {
  const int ranks = 5, levels = 3, elements = 1001;
  const auto layout = LaneLayout::of(bits_for((ranks - 1) * 2 * levels));
  const auto empty_words = [&] {
    return at::empty({layout.words(elements)}, layout.word_bytes == 1 ? at::kByte : at::kLong);
  };
  std::vector<at::Tensor> digits, words;
  auto word_sum = empty_words().zero_();
  auto expected = at::zeros({elements}, at::kShort);
  for (int rank = 0; rank < ranks; ++rank) {
    digits.push_back(torch::randint(-levels, levels + 1, {elements}).to(at::kChar));
    words.push_back(empty_words());
    pack(digits.back(), levels, layout, words.back());
    word_sum += words.back();
    expected += digits.back();
  }
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    auto sums = at::empty({elements}, at::kShort);
    unpack_sums(word_sum, words[rank], digits[rank], levels, ranks, layout, sums);
    EXPECT_TRUE(at::equal(sums, expected));
  }
}

TEST(Lanes, TotalsComeBackThroughTheOwnDigit) {
  const int ranks = 4, elements = 77;
  const auto layout = LaneLayout::of(bits_for((ranks - 1) * 2));
  auto totals = at::zeros({elements}, at::kShort);
  std::vector<at::Tensor> digits;
  auto words = at::empty({layout.words(elements)}, at::kLong);
  auto two_bits = at::empty({LaneLayout::of(2).words(elements)}, at::kByte);
  for (int rank = 0; rank < ranks; ++rank) {
    digits.push_back(torch::randint(-1, 2, {elements}).to(at::kChar));
    pack(digits.back(), 1, LaneLayout::of(2), two_bits);
    add_lanes(two_bits, LaneLayout::of(2), totals);
  }
  pack_totals(totals, layout, words);
  for (const auto& own : digits) {
    auto sums = at::empty({elements}, at::kShort);
    unpack_totals(words, own, 1, ranks, layout, sums);
    EXPECT_TRUE(at::equal(sums, totals - ranks));
  }
}

TEST(Kernels, NameTheTensorThatTheyCannotTake) {
  const auto kept = keep_all(10);
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
  EXPECT_THAT([] { LaneLayout::of(17); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("found lanes of 17 bits")));
}

}  // namespace
}  // namespace pacbench::trainer
