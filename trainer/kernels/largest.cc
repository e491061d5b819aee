#include "trainer/kernels/largest.h"

#include <ATen/Functions.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "trainer/kernels/kernel_table.h"

namespace pacbench::trainer {
namespace {

constexpr std::uint32_t kMagnitudeBits = 0x7FFFFFFF;
/// Eight bits of the exponent and four of the fraction make a bin's number.
constexpr int kBinShift = 19;
constexpr std::size_t kBins = (kMagnitudeBits >> kBinShift) + 1;
/// The size of a sample; a vector with fewer than four times as many elements is not sampled.
constexpr std::int64_t kSample = 4096;

/// The bits of a magnitude: floats of one sign are ordered as their bits are.
std::uint32_t magnitude(float value) {
  return std::bit_cast<std::uint32_t>(value) & kMagnitudeBits;
}

/// A magnitude that a few more than `count` elements reach, as far as a sample can tell. 0, which
/// all reach, where a sample is not worth its time.
std::uint32_t guessed_bound(const float* values, std::int64_t elements, std::int64_t count) {
  const auto share = static_cast<double>(count) / static_cast<double>(elements);
  const auto expected = share * kSample;
  // Four standard deviations, and four, more than the sample is expected to have of the largest.
  const auto rank = static_cast<std::int64_t>(expected + 4 * std::sqrt(expected)) + 4;
  if (elements < 4 * kSample || rank >= kSample / 2) return 0;
  std::array<std::uint32_t, kSample> sample{};
  for (std::int64_t i = 0; i < kSample; ++i) {
    sample[static_cast<std::size_t>(i)] = magnitude(values[i * elements / kSample]);
  }
  std::nth_element(sample.begin(), sample.begin() + rank, sample.end(), std::greater<>{});
  return sample[static_cast<std::size_t>(rank)];
}

/// The indices, ascending, of elements among which the `count` of largest magnitude are.
struct Candidates {
  std::unique_ptr<std::uint32_t[]> indices;
  std::int64_t number = 0;
};

Candidates candidates_among(const float* values, std::int64_t elements, std::int64_t count) {
  const auto at_least = raw::widest_codes().at_least;
  Candidates found{
      std::make_unique_for_overwrite<std::uint32_t[]>(static_cast<std::size_t>(elements))};
  const auto bound = guessed_bound(values, elements, count);
  found.number = at_least(values, elements, bound, found.indices.get());
  if (found.number < count) found.number = at_least(values, elements, 0, found.indices.get());
  return found;
}

/// The `count`-th largest of `magnitudes`, which is changed.
std::uint32_t least_of_largest(std::vector<std::uint32_t>& magnitudes, std::int64_t count) {
  std::vector<std::int32_t> counts(kBins, 0);
  for (const auto found : magnitudes) ++counts[found >> kBinShift];
  std::int64_t above = 0;
  std::size_t bin = kBins - 1;
  while (above + counts[bin] < count) above += counts[bin--];
  const auto outside = [bin](std::uint32_t found) { return found >> kBinShift != bin; };
  magnitudes.erase(std::remove_if(magnitudes.begin(), magnitudes.end(), outside), magnitudes.end());
  const auto last = magnitudes.begin() + (count - above - 1);
  std::nth_element(magnitudes.begin(), last, magnitudes.end(), std::greater<>{});
  return *last;
}

void largest_on_cpu(const float* values, std::int64_t elements, std::int64_t count,
                    std::int64_t* out) {
  if (count == 0) return;
  const auto candidates = candidates_among(values, elements, count);
  const std::span indices{candidates.indices.get(), static_cast<std::size_t>(candidates.number)};
  std::vector<std::uint32_t> magnitudes;
  magnitudes.reserve(indices.size());
  for (const auto i : indices) magnitudes.push_back(magnitude(values[i]));
  auto sorted = magnitudes;
  const auto least = least_of_largest(sorted, count);
  auto equal = count - std::count_if(magnitudes.begin(), magnitudes.end(),
                                     [&](std::uint32_t found) { return found > least; });
  const auto* const end = out + count;
  for (std::size_t i = 0; out != end; ++i) {
    const bool is_equal = magnitudes[i] == least && equal > 0;
    *out = indices[i];
    out += static_cast<int>(is_equal || magnitudes[i] > least);
    equal -= static_cast<int>(is_equal);
  }
}

/// Computes largest() by torch's own functions, for a GPU.
at::Tensor largest_by_torch(const at::Tensor& values, std::int64_t count) {
  const auto magnitudes = values.view(at::kInt).bitwise_and(static_cast<int>(kMagnitudeBits));
  const auto least = std::get<0>(magnitudes.topk(count)).min();
  const auto above = magnitudes.gt(least).nonzero().flatten();
  const auto equal = magnitudes.eq(least).nonzero().flatten();
  return std::get<0>(at::cat({above, equal.narrow(0, 0, count - above.numel())}).sort());
}

}  // namespace

at::Tensor largest(const at::Tensor& values, std::int64_t count) {
  if (!values.is_cpu() && count > 0) return largest_by_torch(values, count);
  auto indices = at::empty({count}, values.options().dtype(at::kLong));
  largest_on_cpu(values.const_data_ptr<float>(), values.numel(), count,
                 indices.mutable_data_ptr<std::int64_t>());
  return indices;
}

}  // namespace pacbench::trainer
