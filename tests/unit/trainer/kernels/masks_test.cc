#include <algorithm>

#include "tests/unit/trainer/kernels/isa_test.h"

namespace pacbench::trainer::raw {
namespace {

class Masks : public IsaTest {};
INSTANTIATE_TEST_SUITE_P(Isa, Masks, ::testing::ValuesIn(kAllIsas), isa_name);

/// Calls `check(values, mask)` for all sizes and shares.
template <typename Check>
void for_each_sample(Check check) {
  for (const auto elements : kSizes) {
    for (const double share : kShares) {
      SCOPED_TRACE(std::to_string(elements) + " elements, kept " + std::to_string(share));
      const auto seed = static_cast<unsigned>(elements);
      check(some_values(elements, seed), SomeMask{elements, share, seed + 1});
    }
  }
}

TEST_P(Masks, CompactKeepsTheKeptInOrder) {
  for_each_sample([](const std::vector<float>& values, const SomeMask& some) {
    std::vector<float> expected;
    for (std::int64_t i = 0; i < some.mask.elements; ++i) {
      if (some.keeps(i)) expected.push_back(values[static_cast<std::size_t>(i)]);
    }
    Guarded<float> out{some.mask.kept};
    table().masks.compact(values.data(), some.mask, out.data());
    EXPECT_EQ(bits_of(out.numbers()), bits_of(expected));
    EXPECT_TRUE(out.untouched_behind());
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
    EXPECT_TRUE(out.untouched_behind());
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
    EXPECT_TRUE(words.untouched_behind());
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
    EXPECT_TRUE(cleared.untouched_behind());
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

}  // namespace
}  // namespace pacbench::trainer::raw
