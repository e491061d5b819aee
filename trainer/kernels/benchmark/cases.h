#pragma once

#include <cstdint>
#include <functional>
#include <new>
#include <string>
#include <vector>

#include "trainer/kernels/cuda_kernels.h"

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

/// The least speed that a kernel must reach; 0 without a target.
struct Target {
  double of_memcpy = 0;            ///< the kernel's bytes/s over memcpy's
  double elements_per_second = 0;  ///< of the parameter, kept or not
};

/// The processor that kernels run on: an instruction set of the CPU, or the first GPU.
struct Processor {
  std::string name;
  Memory memory = Memory::kHost;
  raw::Isa isa = raw::Isa::kPlain;  ///< of the host
};

/// One kernel of one processor on data of one size.
struct Case {
  std::string kernel;
  Processor processor;
  std::int64_t elements = 0;  ///< of the parameter, kept or not
  std::int64_t bytes = 0;     ///< read and written
  Target target;
  std::function<void()> run;
};

/// Cases of the kernels for masks, rounding and lanes, of all instruction sets that this CPU has
/// and of the GPU when there is one, on gradients of `elements` elements. About half of the
/// elements are kept, in one case all. With `with_targets`, the widest instruction set has targets
/// relative to memcpy, and all sets but the plain one have the other targets. The GPU has none.
std::vector<Case> cases(std::int64_t elements, bool with_targets);

}  // namespace pacbench::trainer
