#pragma once

namespace pacbench {

/// Cores that this process may use (its affinity mask), at least one.
int usable_cores();

}  // namespace pacbench
