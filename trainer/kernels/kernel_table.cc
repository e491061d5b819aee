#include "trainer/kernels/kernel_table.h"

namespace pacbench::raw {
namespace {

constexpr KernelTable kPlain{Isa::kPlain, kPlainMasks, kPlainRounding, kPlainLanes};

const KernelTable& choose() {
  const KernelTable* widest = &kPlain;
  for (const auto isa : kAllIsas) {
    if (const auto* table = kernel_table(isa)) widest = table;
  }
  return *widest;
}

}  // namespace

const KernelTable* kernel_table(Isa isa) { return isa == Isa::kPlain ? &kPlain : nullptr; }

const KernelTable& widest_kernels() {
  static const KernelTable& widest = choose();
  return widest;
}

const char* name_of(Isa isa) {
  switch (isa) {
    case Isa::kPlain:
      return "plain";
    case Isa::kAvx2:
      return "AVX2";
    case Isa::kAvx512:
      return "AVX-512";
  }
  return "unknown";
}

}  // namespace pacbench::raw
