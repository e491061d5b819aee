#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "trainer/kernels/benchmark/data.h"
#include "trainer/kernels/kernel_table.h"

namespace pacbench::trainer {

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
