#include "tests/unit/trainer/kernels/isa_test.h"

namespace pacbench::trainer::raw {
namespace {

class LanesOf : public IsaTest {};
INSTANTIATE_TEST_SUITE_P(Isa, LanesOf, ::testing::ValuesIn(kAllIsas), isa_name);

TEST(LaneLayouts, HoldAsManyLanesAsFit) {
  const int lanes[] = {8, 4, 21, 2, 12, 10, 9, 1, 7, 6, 5, 5, 4, 4, 4, 4};
  for (int bits = 1; bits <= 16; ++bits) {
    const auto layout = LaneLayout::of(bits);
    EXPECT_EQ(layout.lanes(), lanes[bits - 1]) << bits;
    EXPECT_EQ(layout.word_bytes, bits == 1 || bits == 2 || bits == 4 || bits == 8 ? 1 : 8) << bits;
  }
  EXPECT_THROW(LaneLayout::of(0), std::invalid_argument);
  EXPECT_THROW(LaneLayout::of(17), std::invalid_argument);
  EXPECT_EQ(LaneLayout::of(4).bytes(7), 4);
  EXPECT_EQ(LaneLayout::of(3).words(22), 2);
  EXPECT_EQ(LaneLayout::of(3).bytes(21), 8);
  EXPECT_EQ(LaneLayout::of(3).words(0), 0);
}

TEST(LaneLayouts, BitsTellNumbersApart) {
  EXPECT_EQ(bits_for(0), 1);
  EXPECT_EQ(bits_for(1), 1);
  EXPECT_EQ(bits_for(2), 2);
  EXPECT_EQ(bits_for(14), 4);
  EXPECT_EQ(bits_for(16), 5);
  EXPECT_EQ(bits_for(65535), 16);
}

std::vector<std::int8_t> some_digits(std::int64_t count, int levels, unsigned seed) {
  std::mt19937 random{seed};
  std::uniform_int_distribution<int> level{-levels, levels};
  std::vector<std::int8_t> digits;
  for (std::int64_t i = 0; i < count; ++i)
    digits.push_back(static_cast<std::int8_t>(level(random)));
  return digits;
}

/// Words of any layout, which are added as an integer all-reduce adds them.
class Words {
 public:
  Words(const LaneLayout& layout, std::int64_t elements)
      : layout_{layout}, bytes_{layout.bytes(elements), 0} {}

  void* data() { return bytes_.data(); }
  std::vector<std::uint8_t> bytes() const { return bytes_.numbers(); }

  /// The content of one lane, by the definition of the layout.
  int lane(std::int64_t element, std::int64_t elements) const {
    const auto words = layout_.words(elements);
    const auto bytes = this->bytes();
    int number = 0;
    for (int bit = 0; bit < layout_.bits; ++bit) {
      const auto at =
          element % words * layout_.word_bytes * 8 + element / words * layout_.bits + bit;
      number |= (bytes[static_cast<std::size_t>(at / 8)] >> (at % 8) & 1) << bit;
    }
    return number;
  }

  void add(Words& other) {
    const auto count = static_cast<std::int64_t>(bytes().size()) / layout_.word_bytes;
    for (std::int64_t i = 0; i < count; ++i) {
      if (layout_.word_bytes == 1) {
        bytes_.data()[i] = static_cast<std::uint8_t>(bytes_.data()[i] + other.bytes_.data()[i]);
      } else {
        auto* const to = static_cast<std::uint64_t*>(data()) + i;
        *to += static_cast<std::uint64_t*>(other.data())[i];
      }
    }
  }

 private:
  LaneLayout layout_;
  Guarded<std::uint8_t> bytes_;
};

/// Calls `check(layout, elements)` for all layouts and sizes.
template <typename Check>
void for_each_layout(Check check) {
  for (int bits = 1; bits <= 16; ++bits) {
    for (const auto elements : kSizes) {
      SCOPED_TRACE(std::to_string(bits) + " bits, " + std::to_string(elements) + " elements");
      check(LaneLayout::of(bits), elements);
    }
  }
}

TEST_P(LanesOf, DigitsLieWhereTheLayoutSays) {
  for_each_layout([](const LaneLayout& layout, std::int64_t elements) {
    // As many levels as fit into a lane and into an int8.
    const int levels = std::min(127, ((1 << layout.bits) - 1) / 2);
    const auto digits = some_digits(elements, levels, 1);
    Words words{layout, elements};
    table().lanes.of(layout).pack(digits.data(), levels, {layout, elements}, words.data());
    int wrong = 0;
    for (std::int64_t i = 0; i < elements; i += elements / 50 + 1) {
      wrong += words.lane(i, elements) != digits[static_cast<std::size_t>(i)] + levels;
    }
    EXPECT_EQ(wrong, 0);
    Words same{layout, elements};
    plain().lanes.of(layout).pack(digits.data(), levels, {layout, elements}, same.data());
    EXPECT_EQ(words.bytes(), same.bytes());
  });
}

TEST_P(LanesOf, TotalsAreAddedAndPackedModuloTheLane) {
  for_each_layout([](const LaneLayout& layout, std::int64_t elements) {
    Guarded<std::int16_t> totals{elements};
    std::vector<std::int16_t> expected;
    for (std::int64_t i = 0; i < elements; ++i) {
      totals.data()[i] = static_cast<std::int16_t>(i * 2654435761 % 32768);
      expected.push_back(static_cast<std::int16_t>(totals.data()[i] +
                                                   (totals.data()[i] & ((1 << layout.bits) - 1))));
    }
    const auto& lanes = table().lanes.of(layout);
    Words words{layout, elements};
    lanes.pack_totals(totals.data(), {layout, elements}, words.data());
    lanes.add(words.data(), {layout, elements}, totals.data());
    EXPECT_EQ(totals.numbers(), expected);
    EXPECT_EQ(std::ssize(words.bytes()), layout.bytes(elements));
  });
}

/// The digits of N ranks. For half of the elements all ranks have the same end of the range.
std::vector<std::vector<std::int8_t>> digits_of(int ranks, int levels, std::int64_t elements) {
  std::vector<std::vector<std::int8_t>> digits;
  for (int rank = 0; rank < ranks; ++rank) {
    digits.push_back(some_digits(elements, levels, static_cast<unsigned>(rank)));
    for (std::int64_t i = 0; i < elements; ++i) {
      auto& digit = digits.back()[static_cast<std::size_t>(i)];
      if (i % 4 == 0) digit = static_cast<std::int8_t>(levels);
      if (i % 4 == 1) digit = static_cast<std::int8_t>(-levels);
    }
  }
  return digits;
}

std::vector<std::int16_t> sums_of(const std::vector<std::vector<std::int8_t>>& digits) {
  std::vector<std::int16_t> sums(digits.front().size());
  for (const auto& of_rank : digits) {
    for (std::size_t i = 0; i < sums.size(); ++i) {
      sums[i] = static_cast<std::int16_t>(sums[i] + of_rank[i]);
    }
  }
  return sums;
}

/// Calls `check(ranks, levels, elements)` for 1 to 16, 64 and 128 ranks, 1, 3, 7 and 127 levels, 1
/// and 333 elements, where the sum of the other ranks' digits takes at most 15 bits.
template <typename Check>
void for_each_exchange(Check check) {
  std::vector<int> all_ranks{64, 128};
  for (int ranks = 1; ranks <= 16; ++ranks) all_ranks.push_back(ranks);
  for (const int ranks : all_ranks) {
    for (const int levels : {1, 3, 7, 127}) {
      if (2 * levels * (ranks - 1) > 65535 / 2) continue;
      for (const std::int64_t elements : {1, 333}) {
        SCOPED_TRACE(std::to_string(ranks) + " ranks, " + std::to_string(levels) + " levels");
        check(ranks, levels, elements);
      }
    }
  }
}

TEST_P(LanesOf, OwnWordsSubtractedGiveTheExactSumOfAnyDigits) {
  for_each_exchange([](int ranks, int levels, std::int64_t elements) {
    const auto layout =
        LaneLayout::of(std::max(bits_for(2 * levels * (ranks - 1)), bits_for(2 * levels)));
    const LaneRange range{layout, elements};
    const auto& lanes = table().lanes.of(layout);
    const auto digits = digits_of(ranks, levels, elements);
    Words sum{layout, elements};
    std::vector<Words> words;
    for (const auto& of_rank : digits) {
      words.emplace_back(layout, elements);
      lanes.pack(of_rank.data(), levels, range, words.back().data());
      sum.add(words.back());
    }
    const auto rank = static_cast<std::size_t>(ranks / 2);
    Guarded<std::int16_t> sums{elements};
    lanes.unpack_sums(sum.data(), words[rank].data(), digits[rank].data(), levels, ranks, range,
                      sums.data());
    EXPECT_EQ(sums.numbers(), sums_of(digits));
  });
}

TEST_P(LanesOf, TotalsAreResolvedByTheOwnDigit) {
  for_each_exchange([](int ranks, int levels, std::int64_t elements) {
    const auto narrow = LaneLayout::of(bits_for(2 * levels));
    const auto wide = LaneLayout::of(bits_for(2 * levels * (ranks - 1)));
    const auto digits = digits_of(ranks, levels, elements);
    Guarded<std::int16_t> totals{elements, 0};
    for (const auto& of_rank : digits) {
      Words words{narrow, elements};
      const auto& lanes = table().lanes.of(narrow);
      lanes.pack(of_rank.data(), levels, {narrow, elements}, words.data());
      lanes.add(words.data(), {narrow, elements}, totals.data());
    }
    const auto& lanes = table().lanes.of(wide);
    Words words{wide, elements};
    lanes.pack_totals(totals.data(), {wide, elements}, words.data());
    Guarded<std::int16_t> sums{elements};
    lanes.unpack_totals(words.data(), digits.front().data(), levels, ranks, {wide, elements},
                        sums.data());
    EXPECT_EQ(sums.numbers(), sums_of(digits));
  });
}

}  // namespace
}  // namespace pacbench::trainer::raw
