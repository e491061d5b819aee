#include "trainer/kernels/cuda/launch.cuh"
#include "trainer/kernels/cuda_kernels.h"

namespace pacbench::trainer::raw {
namespace {

std::int64_t words_of(std::int64_t elements) { return (elements + 63) / 64; }

std::int64_t nonzero(const float* values, std::int64_t elements, std::uint64_t* words) {
  using Count = unsigned long long;
  DeviceArray<Count> set{1};
  set.clear();
  auto* const total = set.data();
  // One thread handles an element: the votes of a warp, in the order of its threads, are half a
  // word.
  auto* const halves = reinterpret_cast<std::uint32_t*>(words);
  for_each_index(words_of(elements) * 64, [=] __device__(std::int64_t i) {
    const auto votes = __ballot_sync(~0U, i < elements && values[i] != 0);
    if (i % 32 != 0) return;
    halves[i / 32] = votes;
    atomicAdd(total, static_cast<Count>(__popc(votes)));
  });
  Count result = 0;
  set.read(&result);
  return static_cast<std::int64_t>(result);
}

void compact(const float* values, const Mask& mask, float* out) {
  const auto before = kept_before_words(mask);
  const KeptPlaces kept{mask.words, before.data()};
  for_each_index(mask.elements, [=] __device__(std::int64_t i) {
    if (kept.is_kept(i)) out[kept.place(i)] = values[i];
  });
}

void scatter(const float* values, const Mask& mask, float* out) {
  const auto before = kept_before_words(mask);
  const KeptPlaces kept{mask.words, before.data()};
  for_each_index(mask.elements, [=] __device__(std::int64_t i) {
    out[i] = kept.is_kept(i) ? values[kept.place(i)] : 0.0F;
  });
}

void zero_outside(float* values, const Mask& mask) {
  const KeptPlaces kept{mask.words, nullptr};
  for_each_index(mask.elements, [=] __device__(std::int64_t i) {
    if (!kept.is_kept(i)) values[i] = 0;
  });
}

bool any_outside(const float* values, const Mask& mask) {
  DeviceArray<int> found{1};
  found.clear();
  auto* const any = found.data();
  const KeptPlaces kept{mask.words, nullptr};
  for_each_index(mask.elements, [=] __device__(std::int64_t i) {
    // All threads that write, write the same value.
    if (!kept.is_kept(i) && values[i] != 0) *any = 1;
  });
  int result = 0;
  found.read(&result);
  return result != 0;
}

}  // namespace

const MaskKernels kCudaMasks{nonzero, compact, scatter, zero_outside, any_outside};

}  // namespace pacbench::trainer::raw
