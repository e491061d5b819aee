#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace pacbench::trainer {

/// The share `ratio` of `elements` elements, as the nearest whole number, and at least one.
inline std::int64_t kept_of(double ratio, std::int64_t elements) {
  return std::clamp<std::int64_t>(std::llround(ratio * static_cast<double>(elements)), 1, elements);
}

}  // namespace pacbench::trainer
