#include "trainer/kernels/benchmark/data.h"

#include <random>

namespace pacbench::trainer {

BenchmarkData::BenchmarkData(std::int64_t element_count, Memory memory)
    : elements{element_count},
      half_words(static_cast<std::size_t>((elements + 63) / 64),
                 LineAllocator<std::uint64_t>{memory}),
      all_words(half_words.size(), half_words.get_allocator()),
      values{LineAllocator<float>{memory}},
      inside{LineAllocator<float>{memory}},
      floats(static_cast<std::size_t>(elements), LineAllocator<float>{memory}),
      digits{LineAllocator<std::int8_t>{memory}},
      totals(static_cast<std::size_t>(elements), LineAllocator<std::int16_t>{memory}),
      packed(static_cast<std::size_t>(elements / 4 + 1), half_words.get_allocator()),
      own_packed(packed.size(), half_words.get_allocator()) {
  std::mt19937_64 random{1};
  std::normal_distribution<float> normal;
  half = {half_words.data(), elements, 0};
  all = {all_words.data(), elements, elements};
  for (std::size_t i = 0; i < static_cast<std::size_t>(elements); ++i) {
    const std::uint64_t kept = random() & 1;
    half_words[i / 64] |= kept << (i % 64);
    all_words[i / 64] |= std::uint64_t{1} << (i % 64);
    half.kept += static_cast<std::int64_t>(kept);
    values.push_back(normal(random));
    inside.push_back(kept != 0 ? values.back() : 0);
    digits.push_back(static_cast<std::int8_t>(random() % 3 - 1));
  }
}

}  // namespace pacbench::trainer
