#include <vector>

#include "trainer/kernels/cuda/launch.cuh"

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

constexpr std::int64_t kChunk = ChunkMoments::kElements;
constexpr int kLanes = ChunkMoments::kLanes;

/// Runs one thread for each lane of a chunk, which adds in the plain version's order.
Moments moments(const float* values, const Mask& mask) {
  const std::int64_t elements = mask.elements;
  const std::int64_t count = (elements + kChunk - 1) / kChunk;
  DeviceArray<ChunkMoments> chunks{count};
  chunks.clear();
  auto* const chunk = chunks.data();
  const KeptPlaces kept{mask.words, nullptr};
  for_each_index(count * kLanes, [=] __device__(std::int64_t i) {
    const auto begin = i / kLanes * kChunk;
    const auto end = begin + kChunk < elements ? begin + kChunk : elements;
    double squares = 0;
    std::uint32_t largest_bits = 0;
    for (auto element = begin + i % kLanes; element < end; element += kLanes) {
      if (!kept.is_kept(element)) continue;
      const float value = values[element];
      squares += double{value} * double{value};
      largest_bits = max(largest_bits, __float_as_uint(value) & 0x7FFFFFFFU);
    }
    chunk[i / kLanes].squares[i % kLanes] = squares;
    atomicMax(&chunk[i / kLanes].largest_bits, largest_bits);
  });
  std::vector<ChunkMoments> all(static_cast<std::size_t>(count));
  chunks.read(all.data());
  Moments total;
  for (const auto& one : all) add_chunk(one, total);
  return total;
}

void quantise(const float* values, const Mask& mask, float levels_per_unit, int levels,
              const PhiloxStream& stream, std::int8_t* digits) {
  const auto before = kept_before_words(mask);
  const KeptPlaces kept{mask.words, before.data()};
  const std::int64_t elements = mask.elements;
  // One thread handles a block of four random words.
  for_each_index((elements + 3) / 4, [=] __device__(std::int64_t block) {
    const auto bits = kept.words[block / 16] >> (block % 16 * 4) & 0xF;
    if (bits == 0) return;
    const auto counter = stream.counter[0] + static_cast<std::uint32_t>(block);
    const auto random =
        Philox4x32::words({counter, stream.counter[1], stream.counter[2], stream.counter[3]},
                          {stream.key[0], stream.key[1]});
    auto place = kept.place(block * 4);
    for (int i = 0; i < 4; ++i) {
      if ((bits >> i & 1) == 0) continue;
      digits[place++] = rounded(values[block * 4 + i], levels_per_unit, static_cast<float>(levels),
                                uniform_float(random[static_cast<std::size_t>(i)]));
    }
  });
}

template <typename Level>
void scatter_levels(const Level* levels, const Mask& mask, float factor, float* out) {
  const auto before = kept_before_words(mask);
  const KeptPlaces kept{mask.words, before.data()};
  for_each_index(mask.elements, [=] __device__(std::int64_t i) {
    out[i] = kept.is_kept(i) ? static_cast<float>(levels[kept.place(i)]) * factor : 0.0F;
  });
}

}  // namespace

const MaskKernels kCudaMasks{nonzero, compact, scatter, zero_outside, any_outside};
const RoundingKernels kCudaRounding{moments, quantise, scatter_levels<std::int8_t>,
                                    scatter_levels<std::int16_t>};

}  // namespace pacbench::trainer::raw
