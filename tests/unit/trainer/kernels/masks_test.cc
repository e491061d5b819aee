#include <numeric>

#include "tests/unit/trainer/kernels/isa_test.h"

namespace pacbench::trainer::raw {
namespace {

class Masks : public IsaTest {};
INSTANTIATE_TEST_SUITE_P(Isa, Masks, ::testing::ValuesIn(kAllIsas), isa_name);

TEST_P(Masks, CompactKeepsTheKeptInOrder) {
  for_each_sample([](const std::vector<float>& values, const SomeMask& some) {
    std::vector<float> expected;
    for (std::int64_t i = 0; i < some.mask.elements; ++i) {
      if (some.keeps(i)) expected.push_back(values[static_cast<std::size_t>(i)]);
    }
    Guarded<float> out{some.mask.kept};
    table().masks.compact(values.data(), some.mask, out.data());
    EXPECT_EQ(bits_of(out.numbers()), bits_of(expected));
  });
}

TEST_P(Masks, ScatterPutsThemBackAndZeroBetweenThem) {
  for_each_sample([](const std::vector<float>& values, const SomeMask& some) {
    std::vector<float> expected(values.size());
    std::size_t next = 0;
    for (std::int64_t i = 0; i < some.mask.elements; ++i) {
      if (some.keeps(i)) expected[static_cast<std::size_t>(i)] = values[next++];
    }
    const std::vector<float> kept(values.begin(), values.begin() + some.mask.kept);
    Guarded<float> out{some.mask.elements};
    table().masks.scatter(kept.data(), some.mask, out.data());
    EXPECT_EQ(bits_of(out.numbers()), bits_of(expected));
  });
}

TEST_P(Masks, NonzeroAreAllButBothZeros) {
  for_each_sample([](std::vector<float> values, const SomeMask& some) {
    for (std::int64_t i = 0; i < some.mask.elements; ++i) {
      auto& value = values[static_cast<std::size_t>(i)];
      if (some.keeps(i) && value == 0) value = std::nanf("");
      if (!some.keeps(i)) value = i % 2 == 0 ? 0.0F : -0.0F;
    }
    Guarded<std::uint64_t> words{static_cast<std::int64_t>(some.words.size())};
    EXPECT_EQ(table().masks.nonzero(values.data(), some.mask.elements, words.data()),
              some.mask.kept);
    EXPECT_EQ(words.numbers(), some.words);
  });
}

TEST_P(Masks, ZeroOutsideTouchesNothingThatIsKept) {
  for_each_sample([](const std::vector<float>& values, const SomeMask& some) {
    auto expected = values;
    for (std::int64_t i = 0; i < some.mask.elements; ++i) {
      if (!some.keeps(i)) expected[static_cast<std::size_t>(i)] = 0;
    }
    Guarded<float> cleared{some.mask.elements};
    std::copy(values.begin(), values.end(), cleared.data());
    table().masks.zero_outside(cleared.data(), some.mask);
    EXPECT_EQ(bits_of(cleared.numbers()), bits_of(expected));
    EXPECT_FALSE(table().masks.any_outside(cleared.data(), some.mask));
  });
}

TEST_P(Masks, AnyOutsideFindsASingleValueAnywhere) {
  for (const std::int64_t elements : {1, 63, 64, 65, 200}) {
    const SomeMask some{elements, 0.5, static_cast<unsigned>(elements)};
    std::vector<float> values(static_cast<std::size_t>(elements), -0.0F);
    for (std::int64_t i = 0; i < elements; ++i) {
      auto& value = values[static_cast<std::size_t>(i)];
      value = i % 2 == 0 ? std::numeric_limits<float>::denorm_min() : std::nanf("");
      EXPECT_EQ(table().masks.any_outside(values.data(), some.mask), !some.keeps(i)) << i;
      value = 0;
    }
  }
}

class RoundingOf : public IsaTest {};
INSTANTIATE_TEST_SUITE_P(Isa, RoundingOf, ::testing::ValuesIn(kAllIsas), isa_name);

constexpr RandomKey kKey{.seed = 99, .rank = 3, .iteration = 12, .parameter = 4};

std::vector<std::int8_t> quantised(const KernelTable& table, const std::vector<float>& values,
                                   const SomeMask& some, float levels_per_unit, int levels) {
  Guarded<std::int8_t> digits{some.mask.kept};
  table.rounding.quantise(values.data(), some.mask, levels_per_unit, levels, kKey.stream(),
                          digits.data());
  return digits.numbers();
}

TEST_P(RoundingOf, AllSizesAndMasksHasTheBitsOfThePlainOne) {
  for_each_sample([](const std::vector<float>& values, const SomeMask& some) {
    EXPECT_EQ(quantised(table(), values, some, 1.5F, 1), quantised(plain(), values, some, 1.5F, 1));
  });
}

TEST_P(RoundingOf, AllLevelsHasTheBitsOfThePlainOne) {
  const auto values = some_values(1000, 3);
  const SomeMask some{1000, 0.7, 4};
  for (int levels = 1; levels <= 127; ++levels) {
    const auto per_unit = static_cast<float>(levels) / 2.5F;
    EXPECT_EQ(quantised(table(), values, some, per_unit, levels),
              quantised(plain(), values, some, per_unit, levels))
        << levels << " levels";
  }
}

TEST_P(RoundingOf, ExtremeValuesClipsAndTakesNaNAsZero) {
  const std::vector<float> values{HUGE_VALF, -HUGE_VALF, FLT_MAX, -3, NAN, 0, -0.0F, 1e-45F};
  // The values are repeated, so that they are in whole vectors and in the rest behind them.
  std::vector<float> many;
  std::vector<std::int8_t> expected;
  for (int i = 0; i < 40; ++i) {
    many.insert(many.end(), values.begin(), values.end());
    const std::int8_t digits[] = {5, -5, 5, -3, 0, 0, 0, 0};
    expected.insert(expected.end(), std::begin(digits), std::end(digits));
  }
  EXPECT_EQ(quantised(table(), many, SomeMask{320, 1, 0}, 1, 5), expected);
  // Useless scales: 0 · infinity and infinity · 0 are NaN.
  EXPECT_EQ(quantised(table(), {HUGE_VALF, 1}, SomeMask{2, 1, 0}, 0, 1),
            (std::vector<std::int8_t>{0, 0}));
  EXPECT_EQ(quantised(table(), {0, -1}, SomeMask{2, 1, 0}, HUGE_VALF, 1),
            (std::vector<std::int8_t>{0, -1}));
}

TEST_P(RoundingOf, ManyGoesToTheTwoNearestLevelsAndIsRightOnAverage) {
  constexpr int kElements = 200000;
  for (const float value : {0.1F, -0.5F, 2.75F, -6.99F}) {
    const std::vector<float> values(kElements, value);
    const auto digits = quantised(table(), values, SomeMask{kElements, 1, 0}, 1, 7);
    const auto [least, most] = std::minmax_element(digits.begin(), digits.end());
    EXPECT_EQ(*least, std::floor(value));
    EXPECT_EQ(*most, std::ceil(value));
    const double sum = std::accumulate(digits.begin(), digits.end(), 0.0);
    // The deviation of the mean is at most 0.5 / sqrt(200000) = 0.0011.
    EXPECT_NEAR(sum / kElements, value, 0.005);
  }
}

TEST_P(RoundingOf, MomentsHaveTheBitsOfThePlainOnes) {
  for_each_sample([](std::vector<float> values, const SomeMask& some) {
    // Extreme values are clamped, since their squares would hide all others.
    for (auto& value : values) value = std::clamp(value, -10.0F, 10.0F);
    const auto found = table().rounding.moments(values.data(), some.mask);
    const auto expected = plain().rounding.moments(values.data(), some.mask);
    EXPECT_EQ(found.largest, expected.largest);
    EXPECT_EQ(found.sum_of_squares, expected.sum_of_squares);
  });
}

TEST_P(RoundingOf, MomentsSeeNaNAndInfinityOnlyWhereKept) {
  std::vector<float> values(200, 1);
  for (std::int64_t i = 0; i < 200; ++i) {
    auto& value = values[static_cast<std::size_t>(i)];
    const SomeMask some{200, 0.5, static_cast<unsigned>(i)};
    value = -HUGE_VALF;
    EXPECT_EQ(std::isinf(table().rounding.moments(values.data(), some.mask).largest),
              some.keeps(i));
    value = -std::nanf("");
    EXPECT_EQ(std::isnan(table().rounding.moments(values.data(), some.mask).largest),
              some.keeps(i));
    value = 1;
  }
}

template <typename Level, typename Scatter>
void expect_scattered(const Scatter& scatter, float factor) {
  for_each_sample([&](const std::vector<float>& values, const SomeMask& some) {
    std::vector<Level> levels;
    std::vector<float> expected(values.size());
    for (std::int64_t i = 0; i < some.mask.elements; ++i) {
      if (!some.keeps(i)) continue;
      levels.push_back(static_cast<Level>(i % 7 == 0 ? 0 : std::numeric_limits<Level>::min() + i));
      expected[static_cast<std::size_t>(i)] = static_cast<float>(levels.back()) * factor;
    }
    Guarded<float> out{some.mask.elements};
    scatter(levels.data(), some.mask, factor, out.data());
    EXPECT_EQ(bits_of(out.numbers()), bits_of(expected));
  });
}

TEST_P(RoundingOf, LevelsAreScatteredTimesTheFactor) {
  for (const float factor : {0.37F, -1e-40F, std::numeric_limits<float>::max()}) {
    expect_scattered<std::int8_t>(table().rounding.scatter_int8, factor);
    expect_scattered<std::int16_t>(table().rounding.scatter_int16, factor);
  }
}

}  // namespace
}  // namespace pacbench::trainer::raw
