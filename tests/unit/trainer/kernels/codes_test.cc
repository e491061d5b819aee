// Compares each kernel of CodeKernels with the plain kernel, and plain kernels with their
// definitions.
#include <type_traits>

#include "tests/unit/trainer/kernels/isa_test.h"

namespace pacbench::trainer::raw {
namespace {

class Codes : public IsaTest {
 protected:
  static const CodeKernels& codes() { return *table().codes; }
};
INSTANTIATE_TEST_SUITE_P(Isa, Codes, ::testing::ValuesIn(kAllIsas), isa_name);

constexpr RandomKey kChanceKey{.seed = 7, .rank = 2, .iteration = 5, .parameter = 1};
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

constexpr LevelTable kUneven{
    {0, 3, 5, 7, 9, 11, 13, 14, 16, 17, 19, 21, 23, 25, 27, 30}, 2.0F, 4.0F / 30};
constexpr LevelTable kEven{{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, 2.0F, 4.0F / 15};

/// Ordinary and extreme values, with NaN among them.
std::vector<float> values_with_nan(std::int64_t count) {
  auto values = some_values(count, 11);
  for (std::size_t i = 5; i < values.size(); i += 37) values[i] = i % 2 == 0 ? kNaN : -kNaN;
  return values;
}

std::vector<float> chances(std::int64_t count) {
  std::vector<float> uniform(static_cast<std::size_t>(count));
  fill_uniform(kChanceKey, 0, count, uniform.data());
  return uniform;
}

template <typename Number>
std::vector<Number> some_numbers(std::int64_t count, unsigned seed) {
  std::mt19937 random{seed};
  std::vector<Number> numbers;
  for (std::int64_t i = 0; i < count; ++i) numbers.push_back(static_cast<Number>(random()));
  return numbers;
}

/// Calls `of(kernels, out)` for the plain kernels and for `codes`. Expects that both fill a buffer
/// of `size` numbers with the same bits and write nothing behind it.
template <typename Number, typename Kernel>
void expect_bits_of_plain(const CodeKernels& codes, std::int64_t size, Kernel of,
                          Number fill = Number{77}) {
  Guarded<Number> expected{size, fill};
  Guarded<Number> found{size, fill};
  of(kPlainCodes, expected.data());
  of(codes, found.data());
  if constexpr (std::is_same_v<Number, float>) {
    EXPECT_EQ(bits_of(found.numbers()), bits_of(expected.numbers())) << size << " numbers";
  } else {
    EXPECT_EQ(found.numbers(), expected.numbers()) << size << " numbers";
  }
}

TEST_P(Codes, UniformNumbersAreThoseOfTheStreamFromAnyElementOn) {
  for (const auto size : kSizes) {
    for (const std::int64_t first : {0, 1, 3, 16, 31, 63, 64, 65, 130}) {
      std::vector<float> expected;
      for (auto i = first; i < first + size; ++i) {
        const auto block = kChanceKey.counter(static_cast<std::uint32_t>(i / 4));
        const auto words = Philox4x32::words(block, kChanceKey.philox_key());
        expected.push_back(static_cast<float>(words[static_cast<std::size_t>(i % 4)] >> 8) /
                           16777216);
      }
      Guarded<float> found{size};
      codes().uniform(kChanceKey.stream(), first, size, found.data());
      EXPECT_EQ(bits_of(found.numbers()), bits_of(expected)) << size << " from " << first;
    }
  }
}

TEST_P(Codes, SignsArePackedAsTheyAre) {
  for (const auto size : kSizes) {
    const auto values = values_with_nan(size);
    std::vector<std::uint8_t> expected(static_cast<std::size_t>((size + 7) / 8));
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (values[i] >= 0) expected[i / 8] |= static_cast<std::uint8_t>(1U << (i % 8));
    }
    Guarded<std::uint8_t> found{(size + 7) / 8};
    codes().pack_signs(values.data(), size, found.data());
    EXPECT_EQ(found.numbers(), expected) << size << " values";
  }
}

TEST_P(Codes, SignsAreAddedFromAnyBitOn) {
  for (const auto size : kSizes) {
    for (const std::int64_t first : {0, 1, 7, 8, 13, 64}) {
      // There is no byte more than the signs need, so that a sanitizer sees any read behind them.
      const auto bytes = some_numbers<std::uint8_t>((first + size + 7) / 8, 3);
      auto expected = some_values(size, 4);
      for (std::size_t i = 0; i < expected.size(); ++i) {
        const auto place = static_cast<std::size_t>(first) + i;
        expected[i] += (bytes[place / 8] >> (place % 8) & 1) != 0 ? 0.3F : -0.3F;
      }
      Guarded<float> found{size};
      const auto values = some_values(size, 4);
      std::copy(values.begin(), values.end(), found.data());
      codes().add_signs(bytes.data(), first, 0.3F, size, found.data());
      EXPECT_EQ(bits_of(found.numbers()), bits_of(expected)) << size << " from bit " << first;
    }
  }
}

TEST_P(Codes, FloorLevelsHaveTheBitsOfThePlainOnes) {
  for (const auto size : kSizes) {
    const auto values = values_with_nan(size);
    const auto uniform = chances(size);
    for (const int levels : {1, 7, 127}) {
      for (const float per_unit : {0.0F, 1e-40F, 0.4F * static_cast<float>(levels), HUGE_VALF}) {
        expect_bits_of_plain<std::int8_t>(
            codes(), size, [&](const CodeKernels& kernels, std::int8_t* out) {
              kernels.floor_levels(values.data(), size, per_unit, levels, uniform.data(), out);
            });
      }
    }
  }
}

TEST(FloorLevels, GoUpAsOftenAsChanceSaysAndKeepTheSign) {
  const float values[] = {0.5F, -0.5F, 0.5F, 9.0F, -9.0F, 0.0F, kNaN};
  const float uniform[] = {0.9F, 0.9F, 0.1F, 0.0F, 0.5F, 0.99F, 0.99F};
  std::vector<std::int8_t> digits(7);
  kPlainCodes.floor_levels(values, 7, 5, 4, uniform, digits.data());
  EXPECT_EQ(digits, (std::vector<std::int8_t>{3, -3, 2, 4, -4, 0, 0}));
}

TEST_P(Codes, NumbersAreScaled) {
  for (const auto size : kSizes) {
    const auto numbers = some_numbers<std::int16_t>(size, 5);
    for (const float factor : {0.37F, -1e-40F, FLT_MAX}) {
      expect_bits_of_plain<float>(codes(), size, [&](const CodeKernels& kernels, float* out) {
        kernels.scale_numbers(numbers.data(), 127, factor, size, out);
      });
    }
  }
}

TEST_P(Codes, TableLevelsHaveTheBitsOfThePlainOnes) {
  for (const auto& levels : {kUneven, kEven}) {
    const auto check = [&](const std::vector<float>& values) {
      const auto size = std::ssize(values);
      const auto uniform = chances(size);
      expect_bits_of_plain<std::int8_t>(
          codes(), size, [&](const CodeKernels& kernels, std::int8_t* out) {
            kernels.table_levels(values.data(), size, levels, uniform.data(), out);
          });
    };
    for (const auto size : kSizes) check(values_with_nan(size));
    std::vector<float> places;  // all of the scale, and beside them
    for (int place = 0; place <= levels.places[15]; ++place) {
      const float value = static_cast<float>(place) * levels.step - levels.limit;
      for (const float beside : {-9.0F, value, 9.0F})
        places.push_back(std::nextafter(value, beside));
    }
    check(places);
  }
}

TEST(TableLevels, AreTheNeighboursOfTheValue) {
  // Place 3.75 of 30 lies between levels 1 and 2, which are at 3 and 5. Values beyond the limit are
  // clipped.
  const float values[] = {-1.5F, -1.5F, -8.0F, 8.0F, kNaN};
  const float uniform[] = {0.3F, 0.4F, 0.5F, 0.5F, 0.5F};
  std::vector<std::int8_t> levels(5);
  kPlainCodes.table_levels(values, 5, kUneven, uniform, levels.data());
  EXPECT_EQ(levels, (std::vector<std::int8_t>{2, 1, 0, 15, 14}));
}

TEST_P(Codes, PlacesOfPackedLevelsAreAdded) {
  for (const auto bytes : kSizes) {
    const auto packed = some_numbers<std::uint8_t>(bytes, 6);
    std::vector<std::int16_t> expected(static_cast<std::size_t>(2 * bytes), 1000);
    for (std::size_t i = 0; i < packed.size(); ++i) {
      expected[i] = static_cast<std::int16_t>(1000 + kUneven.places[packed[i] % 16]);
      expected[packed.size() + i] =
          static_cast<std::int16_t>(1000 + kUneven.places[packed[i] / 16]);
    }
    Guarded<std::int16_t> sums{2 * bytes, 1000};
    codes().add_places(packed.data(), bytes, kUneven, sums.data());
    EXPECT_EQ(sums.numbers(), expected) << bytes << " bytes";
  }
}

TEST_P(Codes, HadamardHasTheBitsOfThePlainOne) {
  for (std::int64_t size = 1; size <= 1 << 13; size *= 2) {
    auto row = some_values(size, 8);
    // Values are finite here, since sums of infinities are NaN, whose sign may differ.
    for (auto& value : row) value = std::clamp(value, -1e30F, 1e30F);
    expect_bits_of_plain<float>(codes(), size, [&](const CodeKernels& kernels, float* out) {
      std::copy(row.begin(), row.end(), out);
      kernels.hadamard(out, size);
    });
  }
}

TEST(Hadamard, IsTheProductWithSylvestersMatrix) {
  std::vector<float> row(64);
  for (std::size_t i = 0; i < row.size(); ++i) row[i] = static_cast<float>(i * i % 23);
  std::vector<float> expected(64, 0);
  for (unsigned i = 0; i < 64; ++i) {
    for (unsigned j = 0; j < 64; ++j) {
      expected[i] += std::popcount(i & j) % 2 == 0 ? row[j] : -row[j];
    }
  }
  kPlainCodes.hadamard(row.data(), 64);
  EXPECT_EQ(row, expected);
}

TEST_P(Codes, IndicesOfMagnitudesOfAtLeastABound) {
  for (const auto size : kSizes) {
    const auto values = values_with_nan(size);
    for (const float bound : {0.0F, 1e-45F, 1.0F, 1.5F, kNaN}) {
      const auto bits = std::bit_cast<std::uint32_t>(bound);
      std::vector<std::uint32_t> expected;
      for (std::size_t i = 0; i < values.size(); ++i) {
        const auto magnitude = std::bit_cast<std::uint32_t>(values[i]) % (1U << 31);
        if (magnitude >= bits) expected.push_back(static_cast<std::uint32_t>(i));
      }
      Guarded<std::uint32_t> indices{size};
      const auto found = codes().at_least(values.data(), size, bits, indices.data());
      auto numbers = indices.numbers();
      numbers.resize(static_cast<std::size_t>(found));
      EXPECT_EQ(numbers, expected) << size << " values, bound " << bound;
    }
  }
}

}  // namespace
}  // namespace pacbench::trainer::raw
