#pragma once

#include <cstdint>

namespace pacbench::trainer::raw {

/// Stochastic rounding of one value, see quantise() in kernels.h, for CPU and GPU. NaN gets level
/// 0, since callers learn of NaN from moments() in kernels.h.
constexpr std::int8_t rounded(float value, float levels_per_unit, float levels, float uniform) {
  const float scaled = (value < 0 ? -value : value) * levels_per_unit;
  const float clipped = scaled > 0 ? (scaled < levels ? scaled : levels) : 0;
  const int whole = static_cast<int>(clipped);
  const int level = whole + (uniform < clipped - static_cast<float>(whole) ? 1 : 0);
  return static_cast<std::int8_t>(value < 0 ? -level : level);
}

}  // namespace pacbench::trainer::raw
