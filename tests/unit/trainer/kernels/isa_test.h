#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cfloat>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "trainer/kernels/kernel_table.h"

namespace pacbench::trainer::raw {

inline void PrintTo(Isa isa, std::ostream* out) { *out << name_of(isa); }

/// Runs a test with the kernels of every instruction set. Skips a set that this CPU or this build
/// lacks.
class IsaTest : public ::testing::TestWithParam<Isa> {
 protected:
  void SetUp() override {
    if (kernel_table(GetParam()) == nullptr) {
      GTEST_SKIP() << "this CPU, or this build, has no " << name_of(GetParam());
    }
  }
  static const KernelTable& table() { return *kernel_table(GetParam()); }
  static const KernelTable& plain() { return *kernel_table(Isa::kPlain); }
};

inline std::string isa_name(const ::testing::TestParamInfo<Isa>& isa) {
  return isa.param == Isa::kPlain ? "Plain" : isa.param == Isa::kAvx2 ? "Avx2" : "Avx512";
}

/// Sizes around the sizes of words and vectors.
inline const std::vector<std::int64_t> kSizes{0,  1,  7,   8,   15,  16,   17,   63,
                                              64, 65, 127, 128, 129, 1000, 4099, 8300};

/// A buffer with guard numbers behind its end, which a kernel must not touch.
template <typename Number>
class Guarded {
 public:
  explicit Guarded(std::int64_t size, Number fill = Number{77})
      : numbers_(static_cast<std::size_t>(size) + kGuards, fill), fill_{fill} {}

  Number* data() { return numbers_.data(); }
  std::vector<Number> numbers() const {
    EXPECT_TRUE(std::all_of(numbers_.end() - kGuards, numbers_.end(),
                            [&](Number number) { return number == fill_; }));
    return {numbers_.begin(), numbers_.end() - kGuards};
  }

 private:
  static constexpr int kGuards = 80;
  std::vector<Number> numbers_;
  Number fill_;
};

/// The bits of floats. Compared as bits, 0 and -0 differ and NaN equals itself.
inline std::vector<std::uint32_t> bits_of(const std::vector<float>& values) {
  std::vector<std::uint32_t> bits;
  for (const float value : values) bits.push_back(std::bit_cast<std::uint32_t>(value));
  return bits;
}

/// Ordinary gradients with extreme ones among them.
inline std::vector<float> some_values(std::int64_t count, unsigned seed) {
  const float odd[] = {0, -0.0F, HUGE_VALF, -HUGE_VALF, FLT_MAX, -FLT_MAX, 1e-45F, -FLT_MIN, 1, -1};
  std::mt19937 random{seed};
  std::normal_distribution<float> normal;
  std::vector<float> values;
  for (std::int64_t i = 0; i < count; ++i) {
    const auto draw = random() % 64;
    values.push_back(draw < std::size(odd) ? odd[draw] : normal(random));
  }
  return values;
}

/// A mask that keeps about `share` of the elements.
struct SomeMask {
  std::vector<std::uint64_t> words;
  Mask mask;

  SomeMask(std::int64_t elements, double share, unsigned seed)
      : words(static_cast<std::size_t>((elements + 63) / 64)) {
    std::mt19937 random{seed};
    std::bernoulli_distribution keep{share};
    mask = {words.data(), elements, 0};
    for (std::int64_t i = 0; i < elements; ++i) {
      const std::uint64_t bit = keep(random) ? 1 : 0;
      words[static_cast<std::size_t>(i / 64)] |= bit << (i % 64);
      mask.kept += static_cast<std::int64_t>(bit);
    }
  }
  SomeMask(const SomeMask&) = delete;

  bool keeps(std::int64_t i) const {
    return (words[static_cast<std::size_t>(i / 64)] >> (i % 64) & 1) != 0;
  }
};

inline constexpr double kShares[] = {0, 0.02, 0.5, 0.98, 1};

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

}  // namespace pacbench::trainer::raw
