#include "trainer/kernels/largest.h"

#include <ATen/Functions.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <vector>

namespace pacbench::trainer {
namespace {

constexpr std::uint32_t kMagnitudeBits = 0x7FFFFFFF;
/// Eight of the exponent and four of the fraction tell bins apart.
constexpr int kBinShift = 19;
constexpr std::size_t kBins = (kMagnitudeBits >> kBinShift) + 1;

/// Floats of one sign are ordered as their bits are.
std::uint32_t magnitude(float value) {
  return std::bit_cast<std::uint32_t>(value) & kMagnitudeBits;
}

/// The least magnitude of the bin in which the `count`-th largest element lies.
std::uint32_t lower_bound_of_largest(const float* values, std::int64_t elements,
                                     std::int64_t count) {
  // Four histograms: neighbours of one bin would wait for each other's count.
  std::vector<std::int32_t> counts(4 * kBins, 0);
  for (std::int64_t i = 0; i < elements; ++i) {
    ++counts[static_cast<std::size_t>(i % 4) * kBins + (magnitude(values[i]) >> kBinShift)];
  }
  std::int64_t found = 0;
  std::size_t bin = kBins;
  while (found < count) {
    --bin;
    for (std::size_t part = 0; part < 4; ++part) found += counts[part * kBins + bin];
  }
  return static_cast<std::uint32_t>(bin) << kBinShift;
}

/// Of ascending `candidates` the `count` largest, still ascending, into `out`.
void write_largest(const float* values, const std::vector<std::int64_t>& candidates,
                   std::int64_t count, std::int64_t* out) {
  std::vector<std::uint32_t> magnitudes;
  magnitudes.reserve(candidates.size());
  for (const auto i : candidates) magnitudes.push_back(magnitude(values[i]));
  const auto last = magnitudes.begin() + (count - 1);
  std::nth_element(magnitudes.begin(), last, magnitudes.end(), std::greater<>{});
  const auto least = *last;
  auto equal = count - std::count_if(magnitudes.begin(), magnitudes.end(),
                                     [&](std::uint32_t found) { return found > least; });
  for (const auto i : candidates) {
    const auto found = magnitude(values[i]);
    if (found > least || (found == least && equal-- > 0)) *out++ = i;
  }
}

void largest_on_cpu(const float* values, std::int64_t elements, std::int64_t count,
                    std::int64_t* out) {
  if (count == 0) return;
  const auto bound = lower_bound_of_largest(values, elements, count);
  std::vector<std::int64_t> candidates;
  candidates.reserve(static_cast<std::size_t>(2 * count));
  for (std::int64_t i = 0; i < elements; ++i) {
    if (magnitude(values[i]) >= bound) candidates.push_back(i);
  }
  write_largest(values, candidates, count, out);
}

/// The same by torch's own functions, for a GPU.
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
