#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace pacbench::trainer {

/// How many of `elements` elements a share of them is: the nearest whole number, at least one.
inline std::int64_t kept_of(double ratio, std::int64_t elements) {
  return std::clamp<std::int64_t>(std::llround(ratio * static_cast<double>(elements)), 1, elements);
}

}  // namespace pacbench::trainer
