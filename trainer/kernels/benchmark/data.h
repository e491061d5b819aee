#pragma once

#include <cstdint>
#include <new>
#include <vector>

#include "trainer/kernels/cuda/gpu_memory.h"
#include "trainer/kernels/kernel_table.h"

namespace pacbench::trainer {

enum class Memory { kHost, kGpu };

/// Allocates memory that a GPU can use, or host memory. Host memory is aligned to cache lines, as
/// torch's tensors are.
template <typename Number>
struct LineAllocator {
  using value_type = Number;
  static constexpr std::align_val_t kLine{64};

  Memory memory = Memory::kHost;

  explicit LineAllocator(Memory of) : memory{of} {}
  template <typename Other>
  explicit LineAllocator(const LineAllocator<Other>& other) : memory{other.memory} {}

  Number* allocate(std::size_t count) {
    const auto bytes = count * sizeof(Number);
    return static_cast<Number*>(memory == Memory::kGpu ? raw::allocate_shared(bytes)
                                                       : ::operator new(bytes, kLine));
  }
  void deallocate(Number* numbers, std::size_t) {
    if (memory == Memory::kGpu) {
      raw::free_shared(numbers);
    } else {
      ::operator delete(numbers, kLine);
    }
  }
  bool operator==(const LineAllocator&) const = default;
};
template <typename Number>
using Lines = std::vector<Number, LineAllocator<Number>>;

/// The data that kernels are measured on: a random gradient, masks that keep about half or all of
/// it, and random ternary digits.
struct BenchmarkData {
  BenchmarkData(std::int64_t element_count, Memory memory);
  BenchmarkData(const BenchmarkData&) = delete;

  std::int64_t elements;
  Lines<std::uint64_t> half_words;
  Lines<std::uint64_t> all_words;
  raw::Mask half;  ///< keeps about every second element
  raw::Mask all;
  Lines<float> values;
  Lines<float> inside;  ///< `values`, but zero where `half` does not keep
  Lines<float> floats;  ///< room for as many floats as `values` has
  Lines<std::int8_t> digits;
  Lines<std::int16_t> totals;
  Lines<std::uint64_t> packed;  ///< room for 16 bits an element
  Lines<std::uint64_t> own_packed;
};

}  // namespace pacbench::trainer
