#include <algorithm>

#include "tests/unit/trainer/kernels/isa_test.h"

namespace pacbench::trainer::raw {
namespace {

class RoundingOf : public IsaTest {};
INSTANTIATE_TEST_SUITE_P(Isa, RoundingOf, ::testing::ValuesIn(kAllIsas), isa_name);

constexpr RandomKey kKey{.seed = 99, .rank = 3, .iteration = 12, .parameter = 4};

std::vector<std::int8_t> quantised(const KernelTable& table, const std::vector<float>& values,
                                   const SomeMask& some, float levels_per_unit, int levels) {
  Guarded<std::int8_t> digits{some.mask.kept};
  table.rounding.quantise(values.data(), some.mask, levels_per_unit, levels, kKey.stream(),
                          digits.data());
  EXPECT_TRUE(digits.untouched_behind());
  return digits.numbers();
}

TEST_P(RoundingOf, AllSizesAndMasksHasTheBitsOfThePlainOne) {
  for (const auto elements : kSizes) {
    for (const double share : kShares) {
      const auto values = some_values(elements, 1);
      const SomeMask some{elements, share, 2};
      EXPECT_EQ(quantised(table(), values, some, 1.5F, 1),
                quantised(plain(), values, some, 1.5F, 1))
          << elements << " elements, kept " << share;
    }
  }
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

TEST_P(RoundingOf, EachElementDependsOnlyOnItsValueAndPlace) {
  const auto values = some_values(300, 5);
  const SomeMask all{300, 1, 0};
  const SomeMask half{300, 0.5, 6};
  const auto of_all = quantised(table(), values, all, 2, 7);
  std::vector<std::int8_t> expected;
  for (std::int64_t i = 0; i < 300; ++i) {
    if (half.keeps(i)) expected.push_back(of_all[static_cast<std::size_t>(i)]);
  }
  EXPECT_EQ(quantised(table(), values, half, 2, 7), expected);
}

TEST_P(RoundingOf, ExtremeValuesClipsAndTakesNaNAsZero) {
  using Limits = std::numeric_limits<float>;
  const std::vector<float> values{Limits::infinity(),
                                  -Limits::infinity(),
                                  Limits::max(),
                                  -3.0F,
                                  Limits::quiet_NaN(),
                                  0.0F,
                                  -0.0F,
                                  Limits::denorm_min()};
  const SomeMask all{8, 1, 0};
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
  EXPECT_EQ(quantised(table(), {Limits::infinity(), 1}, SomeMask{2, 1, 0}, 0, 1),
            (std::vector<std::int8_t>{0, 0}));
  EXPECT_EQ(quantised(table(), {0, -1}, SomeMask{2, 1, 0}, Limits::infinity(), 1),
            (std::vector<std::int8_t>{0, -1}));
}

TEST_P(RoundingOf, ManyIsRightOnAverage) {
  constexpr int kElements = 200000;
  for (const float value : {0.1F, -0.5F, 2.75F, -6.99F}) {
    const std::vector<float> values(kElements, value);
    const auto digits = quantised(table(), values, SomeMask{kElements, 1, 0}, 1, 7);
    double sum = 0;
    for (const auto digit : digits) sum += digit;
    // The deviation of the mean is at most 0.5 / sqrt(200000) = 0.0011.
    EXPECT_NEAR(sum / kElements, value, 0.005);
  }
}

TEST_P(RoundingOf, MomentsHaveTheBitsOfThePlainOnes) {
  for (const auto elements : kSizes) {
    for (const double share : kShares) {
      auto values = some_values(elements, 7);
      // Extreme values are clamped, since their squares would hide all others.
      for (auto& value : values) value = std::clamp(value, -10.0F, 10.0F);
      const SomeMask some{elements, share, 8};
      const auto found = table().rounding.moments(values.data(), some.mask);
      const auto expected = plain().rounding.moments(values.data(), some.mask);
      EXPECT_EQ(found.largest, expected.largest);
      EXPECT_EQ(found.sum_of_squares, expected.sum_of_squares);
    }
  }
}

TEST_P(RoundingOf, MomentsSeeNaNAndInfinityOnlyWhereKept) {
  std::vector<float> values(200, 1);
  for (std::int64_t i = 0; i < 200; ++i) {
    auto& value = values[static_cast<std::size_t>(i)];
    const SomeMask some{200, 0.5, static_cast<unsigned>(i)};
    value = -std::numeric_limits<float>::infinity();
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
  for (const auto elements : kSizes) {
    for (const double share : kShares) {
      const SomeMask some{elements, share, 9};
      std::vector<Level> levels;
      std::vector<float> expected(static_cast<std::size_t>(elements));
      for (std::int64_t i = 0; i < elements; ++i) {
        if (!some.keeps(i)) continue;
        levels.push_back(
            static_cast<Level>(i % 7 == 0 ? 0 : std::numeric_limits<Level>::min() + i));
        expected[static_cast<std::size_t>(i)] = static_cast<float>(levels.back()) * factor;
      }
      Guarded<float> out{elements};
      scatter(levels.data(), some.mask, factor, out.data());
      EXPECT_EQ(bits_of(out.numbers()), bits_of(expected)) << elements << " kept " << share;
      EXPECT_TRUE(out.untouched_behind());
    }
  }
}

TEST_P(RoundingOf, LevelsAreScatteredTimesTheFactor) {
  for (const float factor : {0.37F, -1e-40F, std::numeric_limits<float>::max()}) {
    expect_scattered<std::int8_t>(table().rounding.scatter_int8, factor);
    expect_scattered<std::int16_t>(table().rounding.scatter_int16, factor);
  }
}

}  // namespace
}  // namespace pacbench::trainer::raw
