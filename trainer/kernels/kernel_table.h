#pragma once

#include "trainer/kernels/code_kernels.h"
#include "trainer/kernels/lane_kernels.h"
#include "trainer/kernels/mask_kernels.h"
#include "trainer/kernels/rounding_kernels.h"

namespace pacbench::trainer::raw {

/// Instruction sets that kernels are written for, each including the ones before it.
enum class Isa { kPlain, kAvx2, kAvx512 };
inline constexpr Isa kAllIsas[] = {Isa::kPlain, Isa::kAvx2, Isa::kAvx512};

struct KernelTable {
  const MaskKernels& masks;
  const RoundingKernels& rounding;
  const LaneKernelsByWidth& lanes;
  const CodeKernels* codes = nullptr;  ///< null in the table of a GPU
};

/// The kernels written for `isa`; null when this CPU, or this build, lacks it.
const KernelTable* kernel_table(Isa isa);

/// The widest instruction set that this CPU and this build have.
Isa widest_isa();
const KernelTable& widest_kernels();
const CodeKernels& widest_codes();

const char* name_of(Isa isa);

}  // namespace pacbench::trainer::raw
