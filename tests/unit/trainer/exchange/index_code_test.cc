#include "trainer/encoding/sparse_code.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

namespace pacbench::trainer::test::index_code_test {
namespace {

using Indices = std::vector<std::int64_t>;

/// `count` indices from `first` on.
Indices from(std::int64_t first, std::int64_t count) {
  Indices all(static_cast<std::size_t>(count));
  std::iota(all.begin(), all.end(), first);
  return all;
}

/// `kept` random indices below `elements`, ascending.
Indices some(std::int64_t elements, std::int64_t kept, unsigned seed) {
  const auto all = from(0, elements);
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

TEST(IndexCode, GivesBackFirstLastAndRandomIndicesAndIsNeverLongerThanABitmap) {
  for (const std::int64_t elements : {1, 2, 7, 8, 64, 65, 1000, 4099, 100'000}) {
    for (const double share : {0.0, 0.001, 0.01, 0.1, 0.3, 0.5, 0.9, 1.0}) {
      const auto kept =
          std::max<std::int64_t>(1, std::llround(share * static_cast<double>(elements)));
      const IndexCode code{elements, kept};
      EXPECT_LE(code.bytes(), (elements + 7) / 8) << "longer than a bitmap";
      for (const auto& indices : {from(0, kept), from(elements - kept, kept),
                                  some(elements, kept, 1), some(elements, kept, 2)}) {
        EXPECT_EQ(decoded(code, indices), indices) << kept << " of " << elements;
      }
    }
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
