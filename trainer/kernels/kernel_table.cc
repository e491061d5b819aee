#include "trainer/kernels/kernel_table.h"

namespace pacbench::trainer::raw {
namespace {

constexpr KernelTable kPlain{kPlainMasks, kPlainRounding, kPlainLanes, &kPlainCodes};

#ifdef PACBENCH_X86_KERNELS
constexpr KernelTable kAvx2{kAvx2Masks, kAvx2Rounding, kAvx2Lanes, &kAvx2Codes};
constexpr KernelTable kAvx512{kAvx512Masks, kAvx512Rounding, kAvx512Lanes, &kAvx512Codes};

bool has_avx2() { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("popcnt"); }

bool has_avx512() {
  return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}
#endif

}  // namespace

const KernelTable* kernel_table(Isa isa) {
#ifdef PACBENCH_X86_KERNELS
  if (isa == Isa::kAvx2) return has_avx2() ? &kAvx2 : nullptr;
  if (isa == Isa::kAvx512) return has_avx512() ? &kAvx512 : nullptr;
#endif
  return isa == Isa::kPlain ? &kPlain : nullptr;
}

Isa widest_isa() {
  Isa widest = Isa::kPlain;
  for (const auto isa : kAllIsas) {
    if (kernel_table(isa) != nullptr) widest = isa;
  }
  return widest;
}

const KernelTable& widest_kernels() {
  static const KernelTable& widest = *kernel_table(widest_isa());
  return widest;
}

const CodeKernels& widest_codes() { return *widest_kernels().codes; }

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

}  // namespace pacbench::trainer::raw
