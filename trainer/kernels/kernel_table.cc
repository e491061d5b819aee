#include "trainer/kernels/kernel_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <stdexcept>

namespace pacbench::trainer {

int LaneLayout::lanes() const { return word_bytes * 8 / bits; }

std::int64_t LaneLayout::words(std::int64_t elements) const {
  return (elements + lanes() - 1) / lanes();
}

std::int64_t LaneLayout::bytes(std::int64_t elements) const { return words(elements) * word_bytes; }

LaneLayout LaneLayout::of(int bits) {
  if (bits < 1 || bits > 16) {
    throw std::invalid_argument{
        fmt::format("found lanes of {} bits, expected 1 to 16; use fewer ranks or levels", bits)};
  }
  return {bits, 8 % bits == 0 ? 1 : 8};
}

int bits_for(std::int64_t largest) {
  return std::max(1, static_cast<int>(std::bit_width(static_cast<std::uint64_t>(largest))));
}

namespace raw {
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
  constexpr const char* kNames[] = {"plain", "AVX2", "AVX-512"};
  return kNames[static_cast<int>(isa)];
}

const LaneKernels& LaneKernelsByWidth::of(const LaneLayout& layout) const {
  return layout.word_bytes == 1 ? bytes : longs;
}

}  // namespace raw
}  // namespace pacbench::trainer
