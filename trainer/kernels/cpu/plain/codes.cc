#include <algorithm>
#include <bit>
#include <cmath>

#include "trainer/kernels/kernel_table.h"

namespace pacbench::trainer::raw {
namespace {

void uniform(const PhiloxStream& stream, std::int64_t first, std::int64_t count, float* out) {
  for_each_random_word(stream, first, count,
                       [out](std::int64_t i, std::uint32_t word) { out[i] = uniform_float(word); });
}

void pack_signs(const float* values, std::int64_t count, std::uint8_t* bytes) {
  for (std::int64_t byte = 0; byte * 8 < count; ++byte) {
    unsigned bits = 0;
    for (std::int64_t i = byte * 8; i < std::min(count, byte * 8 + 8); ++i) {
      bits |= static_cast<unsigned>(values[i] >= 0) << (i % 8);
    }
    bytes[byte] = static_cast<std::uint8_t>(bits);
  }
}

void add_signs(const std::uint8_t* bytes, std::int64_t first, float size, std::int64_t count,
               float* values) {
  for (std::int64_t i = 0; i < count; ++i) {
    const auto place = first + i;
    values[i] += (bytes[place / 8] >> (place % 8) & 1) != 0 ? size : -size;
  }
}

void floor_levels(const float* values, std::int64_t count, float levels_per_unit, int levels,
                  const float* uniform, std::int8_t* digits) {
  const auto most = static_cast<float>(levels);
  for (std::int64_t i = 0; i < count; ++i) {
    const float product = std::abs(values[i]) * levels_per_unit;
    const float level =
        std::min(most, std::floor((std::isnan(product) ? 0 : product) + uniform[i]));
    const float sign = values[i] > 0 ? 1.0F : values[i] < 0 ? -1.0F : 0.0F;
    digits[i] = static_cast<std::int8_t>(level * sign);
  }
}

void scale_numbers(const std::int16_t* numbers, int offset, float factor, std::int64_t count,
                   float* out) {
  for (std::int64_t i = 0; i < count; ++i) {
    out[i] = static_cast<float>(numbers[i] - offset) * factor;
  }
}

/// Number of the first level that is not below `scaled`; never less than 1 nor more than 15.
int upper_neighbour(const LevelTable& table, float scaled) {
  int upper = 1;
  while (upper < 15 && !(table.places[upper] >= scaled)) ++upper;
  return upper;
}

void table_levels(const float* values, std::int64_t count, const LevelTable& table,
                  const float* uniform, std::int8_t* levels) {
  for (std::int64_t i = 0; i < count; ++i) {
    const float clipped = std::clamp(values[i], -table.limit, table.limit);
    const float scaled = (clipped + table.limit) / table.step;
    const int upper = upper_neighbour(table, scaled);
    const auto low = static_cast<float>(table.places[upper - 1]);
    const float gap = static_cast<float>(table.places[upper]) - low;
    levels[i] = static_cast<std::int8_t>(upper - 1 + (uniform[i] * gap < scaled - low ? 1 : 0));
  }
}

void add_places(const std::uint8_t* packed, std::int64_t bytes, const LevelTable& table,
                std::int16_t* sums) {
  const auto add = [&](std::int64_t i, int level) {
    sums[i] = static_cast<std::int16_t>(sums[i] + table.places[level]);
  };
  for (std::int64_t i = 0; i < bytes; ++i) {
    add(i, packed[i] & 15);
    add(bytes + i, packed[i] >> 4);
  }
}

void hadamard(float* row, std::int64_t size) {
  for (std::int64_t half = 1; half < size; half *= 2) {
    for (auto* pair = row; pair < row + size; pair += 2 * half) {
      for (std::int64_t i = 0; i < half; ++i) {
        const float sum = pair[i] + pair[half + i];
        pair[half + i] = pair[i] - pair[half + i];
        pair[i] = sum;
      }
    }
  }
}

std::int64_t at_least(const float* values, std::int64_t count, std::uint32_t bound,
                      std::uint32_t* indices) {
  std::int64_t found = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    if ((std::bit_cast<std::uint32_t>(values[i]) & 0x7FFFFFFFU) < bound) continue;
    indices[found++] = static_cast<std::uint32_t>(i);
  }
  return found;
}

}  // namespace

NeighbourTable::NeighbourTable(const LevelTable& table) {
  for (int place = 0; place < kPlaces; ++place) {
    const int upper = upper_neighbour(table, static_cast<float>(place));
    low[place] = static_cast<float>(table.places[upper - 1]);
    gap[place] = static_cast<float>(table.places[upper]) - low[place];
    level[place] = upper - 1;
  }
}

const CodeKernels kPlainCodes{uniform,      pack_signs, add_signs, floor_levels, scale_numbers,
                              table_levels, add_places, hadamard,  at_least};

}  // namespace pacbench::trainer::raw
