#pragma once

namespace pacbench {

/// The number of cores that the calling thread may use (its affinity mask); 1 when the kernel does
/// not say.
int usable_cores();

}  // namespace pacbench
