#include "trainer/encoding/index_code.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

namespace pacbench::trainer::test::index_code_test {
namespace {

using Indices = std::vector<std::int64_t>;

/// `kept` random indices below `elements`, ascending.
Indices some(std::int64_t elements, std::int64_t kept, unsigned seed) {
  Indices all(static_cast<std::size_t>(elements));
  std::iota(all.begin(), all.end(), 0);
  Indices chosen;
  std::sample(all.begin(), all.end(), std::back_inserter(chosen), kept, std::mt19937{seed});
  return chosen;
}

/// The indices that come back from their code.
Indices decoded(const IndexCode& code, const Indices& indices) {
  std::vector<std::uint8_t> bytes(static_cast<std::size_t>(code.bytes()) + 1, 0xAB);
  code.encode(indices.data(), bytes.data());
  EXPECT_EQ(bytes.back(), 0xAB) << "a byte after the code was written";
  bytes.pop_back();
  Indices found(indices.size());
  code.decode(bytes.data(), found.data());
  return found;
}

TEST(IndexCode, GivesBackWhatItWasGivenAndIsNeverLongerThanABitmap) {
  for (const std::int64_t elements : {1, 2, 7, 8, 64, 65, 1000, 4099}) {
    for (const double share : {0.0, 0.001, 0.01, 0.1, 0.3, 0.5, 0.9, 1.0}) {
      const auto kept =
          std::max<std::int64_t>(1, std::llround(share * static_cast<double>(elements)));
      const IndexCode code{elements, kept};
      EXPECT_LE(code.bytes(), (elements + 7) / 8) << "longer than a bitmap";
      for (const unsigned seed : {1U, 2U, 3U}) {
        const auto indices = some(elements, kept, seed);
        EXPECT_EQ(decoded(code, indices), indices) << kept << " of " << elements;
      }
    }
  }
}

TEST(IndexCode, HoldsTheFirstAndTheLastIndicesThereAre) {
  const std::int64_t elements = 100'000;
  const IndexCode code{elements, 1000};
  for (const std::int64_t first : {std::int64_t{0}, elements - 1000}) {
    Indices indices(1000);
    std::iota(indices.begin(), indices.end(), first);
    EXPECT_EQ(decoded(code, indices), indices);
  }
}

TEST(IndexCode, IsWithinSixTenthsOfABitAnIndexOfTheLeastThatAnyCodeTakes) {
  for (const std::int64_t kept : {100, 1000, 10'000, 50'000}) {
    const std::int64_t elements = 100'000;
    const auto n = static_cast<double>(elements);
    const auto k = static_cast<double>(kept);
    const double least =
        (std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1)) / std::log(2.0);
    const double bits = 8.0 * static_cast<double>(IndexCode{elements, kept}.bytes());
    EXPECT_GE(bits, least) << kept;
    EXPECT_LE(bits, least + 0.6 * k + 8) << kept;
  }
}

}  // namespace
}  // namespace pacbench::trainer::test::index_code_test
