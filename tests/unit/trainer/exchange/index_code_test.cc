#include "trainer/encoding/index_code.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>

namespace pacbench::trainer::test::index_code_test {
namespace {

using ::testing::ElementsAreArray;

using Indices = std::vector<std::int64_t>;

/// `kept` random indices below `elements`, ascending.
Indices some(std::int64_t elements, std::int64_t kept, unsigned seed) {
  Indices all(static_cast<std::size_t>(elements));
  std::iota(all.begin(), all.end(), 0);
  Indices chosen;
  std::sample(all.begin(), all.end(), std::back_inserter(chosen), kept, std::mt19937{seed});
  return chosen;
}

std::vector<std::uint8_t> encoded(const IndexCode& code, const Indices& indices) {
  std::vector<std::uint8_t> bytes(static_cast<std::size_t>(code.bytes()) + 1, 0xAB);
  code.encode(indices.data(), bytes.data());
  EXPECT_EQ(bytes.back(), 0xAB) << "a byte after the code was written";
  bytes.pop_back();
  return bytes;
}

Indices decoded(const IndexCode& code, const std::vector<std::uint8_t>& bytes, std::size_t kept) {
  Indices indices(kept);
  code.decode(bytes.data(), indices.data());
  return indices;
}

TEST(IndexCode, GivesBackWhatItWasGiven) {
  for (const std::int64_t elements : {1, 2, 7, 8, 64, 65, 1000, 4099}) {
    for (const double share : {0.0, 0.001, 0.01, 0.1, 0.3, 0.5, 0.9, 1.0}) {
      const auto kept =
          std::max<std::int64_t>(1, std::llround(share * static_cast<double>(elements)));
      const IndexCode code{elements, kept};
      for (const unsigned seed : {1U, 2U, 3U}) {
        const auto indices = some(elements, kept, seed);
        EXPECT_THAT(decoded(code, encoded(code, indices), indices.size()),
                    ElementsAreArray(indices))
            << kept << " of " << elements;
      }
    }
  }
}

TEST(IndexCode, HoldsTheFirstAndTheLastIndicesThereAre) {
  const std::int64_t elements = 100'000;
  const IndexCode code{elements, 1000};
  Indices first(1000);
  std::iota(first.begin(), first.end(), 0);
  Indices last(1000);
  std::iota(last.begin(), last.end(), elements - 1000);
  EXPECT_THAT(decoded(code, encoded(code, first), 1000), ElementsAreArray(first));
  EXPECT_THAT(decoded(code, encoded(code, last), 1000), ElementsAreArray(last));
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

TEST(IndexCode, IsNeverLongerThanABitmap) {
  for (const std::int64_t kept : {1, 10, 300, 600, 999, 1000}) {
    EXPECT_LE((IndexCode{1000, kept}.bytes()), 125) << kept;
  }
}

}  // namespace
}  // namespace pacbench::trainer::test::index_code_test
