#pragma once

#include "trainer/kernels/kernel_table.h"

// Files that are compiled for one instruction set include this header, hence its names are local to
// each file. They first include that set's vectors.h and define, in namespace
// pacbench::trainer::raw and with internal linkage:
//
// Floats: kLanes floats.
// - load, broadcast, store(floats); store_bytes(digits) stores floats that are whole numbers.
// - operators + - * /; floor, ceil, magnitude; with_sign_of(other) is 0 where `other` is 0.
// - least and most of two return the second where one is no number.
// - of_words gives numbers uniform in [0, 1); of_numbers converts int16.
// - not_negative, less and magnitude_bits_at_least return a bit for each lane.
// - chosen(bits, yes, no) takes such bits.
// Neighbours: at(places) gives low, gap and level of a NeighbourTable as Floats.
// PlacesOfBytes: add(packed, lower, upper) adds the places of kBytes bytes' levels.
// store_places(bits, first, indices) writes first + i for every lane i whose bit is set.
namespace pacbench::trainer::raw {
namespace {

constexpr int kLanes = Floats::kLanes;

/// Calls `work` with the index of each whole vector's first element. Returns how many elements the
/// vectors cover.
template <typename Work>
std::int64_t by_vectors(std::int64_t count, Work work) {
  std::int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) work(i);
  return i;
}

void uniform(const PhiloxStream& stream, std::int64_t first, std::int64_t count, float* out) {
  constexpr std::int64_t kBatch = 4 * kLanes;  // elements of one RandomWords
  const auto before = (kBatch - first % kBatch) % kBatch;
  const auto head = before < count ? before : count;
  kPlainCodes.uniform(stream, first, head, out);
  const RoundKeys keys{stream};
  auto i = head;
  for (; i + kBatch <= count; i += kBatch) {
    const RandomWords words{stream, keys, static_cast<std::uint32_t>((first + i) / 4)};
    for (int j = 0; j < 4; ++j) Floats::of_words(words.parts[j]).store(out + i + j * kLanes);
  }
  kPlainCodes.uniform(stream, first + i, count - i, out + i);
}

void pack_signs(const float* values, std::int64_t count, std::uint8_t* bytes) {
  const auto done = by_vectors(count, [&](std::int64_t i) {
    const auto bits = Floats::load(values + i).not_negative();
    __builtin_memcpy(bytes + i / 8, &bits, kLanes / 8);
  });
  kPlainCodes.pack_signs(values + done, count - done, bytes + done / 8);
}

/// The 64 bits from bit `place` on. Behind the byte of that bit, `bytes` must have eight more.
std::uint64_t bits_at(const std::uint8_t* bytes, std::int64_t place) {
  std::uint64_t word = 0;
  __builtin_memcpy(&word, bytes + place / 8, 8);
  const auto shift = place % 8;
  return shift == 0 ? word : word >> shift | std::uint64_t{bytes[place / 8 + 8]} << (64 - shift);
}

void add_signs(const std::uint8_t* bytes, std::int64_t first, float size, std::int64_t count,
               float* values) {
  const auto plus = Floats::broadcast(size);
  const auto minus = Floats::broadcast(-size);
  std::int64_t i = 0;
  // The loop stops before the last values, so that no read passes the end of the bits.
  for (; i + 72 <= count; i += 64) {
    const auto bits = bits_at(bytes, first + i);
    for (int j = 0; j < 64; j += kLanes) {
      const auto sign = Floats::chosen(static_cast<std::uint32_t>(bits >> j), plus, minus);
      (Floats::load(values + i + j) + sign).store(values + i + j);
    }
  }
  kPlainCodes.add_signs(bytes, first + i, size, count - i, values + i);
}

void floor_levels(const float* values, std::int64_t count, float levels_per_unit, int levels,
                  const float* uniform, std::int8_t* digits) {
  const auto factor = Floats::broadcast(levels_per_unit);
  const auto highest = Floats::broadcast(static_cast<float>(levels));
  const auto zero = Floats::broadcast(0);
  const auto done = by_vectors(count, [&](std::int64_t i) {
    const auto value = Floats::load(values + i);
    const auto product = Floats::most(value.magnitude() * factor, zero);
    const auto level = Floats::least((product + Floats::load(uniform + i)).floor(), highest);
    level.with_sign_of(value).store_bytes(digits + i);
  });
  kPlainCodes.floor_levels(values + done, count - done, levels_per_unit, levels, uniform + done,
                           digits + done);
}

void scale_numbers(const std::int16_t* numbers, int offset, float factor, std::int64_t count,
                   float* out) {
  const auto scale = Floats::broadcast(factor);
  const auto zero_point = Floats::broadcast(static_cast<float>(offset));
  const auto done = by_vectors(count, [&](std::int64_t i) {
    ((Floats::of_numbers(numbers + i) - zero_point) * scale).store(out + i);
  });
  kPlainCodes.scale_numbers(numbers + done, offset, factor, count - done, out + done);
}

void table_levels(const float* values, std::int64_t count, const LevelTable& table,
                  const float* uniform, std::int8_t* levels) {
  const NeighbourTable places{table};
  const Neighbours neighbours{places};
  const auto lowest = Floats::broadcast(-table.limit);
  const auto highest = Floats::broadcast(table.limit);
  const auto step = Floats::broadcast(table.step);
  const auto done = by_vectors(count, [&](std::int64_t i) {
    const auto clipped = Floats::least(highest, Floats::most(lowest, Floats::load(values + i)));
    const auto scaled = (clipped + highest) / step;
    const auto [low, gap, level] = neighbours.at(scaled.ceil());
    const auto upper = (Floats::load(uniform + i) * gap).less(scaled - low);
    (level + Floats::chosen(upper, Floats::broadcast(1), Floats::broadcast(0)))
        .store_bytes(levels + i);
  });
  kPlainCodes.table_levels(values + done, count - done, table, uniform + done, levels + done);
}

void add_places(const std::uint8_t* packed, std::int64_t bytes, const LevelTable& table,
                std::int16_t* sums) {
  const PlacesOfBytes places{table};
  std::int64_t i = 0;
  for (; i + PlacesOfBytes::kBytes <= bytes; i += PlacesOfBytes::kBytes) {
    places.add(packed + i, sums + i, sums + bytes + i);
  }
  for (; i < bytes; ++i) {
    sums[i] = static_cast<std::int16_t>(sums[i] + table.places[packed[i] & 15]);
    sums[bytes + i] = static_cast<std::int16_t>(sums[bytes + i] + table.places[packed[i] >> 4]);
  }
}

std::int64_t at_least(const float* values, std::int64_t count, std::uint32_t bound,
                      std::uint32_t* indices) {
  // Each store writes a whole vector, the found indices first. It fits, since `found` is at most i.
  std::int64_t found = 0;
  const auto done = by_vectors(count, [&](std::int64_t i) {
    const auto bits = Floats::load(values + i).magnitude_bits_at_least(bound);
    if (bits == 0) return;
    store_places(bits, static_cast<std::uint32_t>(i), indices + found);
    found += __builtin_popcount(bits);
  });
  const auto last = kPlainCodes.at_least(values + done, count - done, bound, indices + found);
  for (auto i = found; i < found + last; ++i) indices[i] += static_cast<std::uint32_t>(done);
  return found + last;
}

using Vector = float __attribute__((vector_size(4 * kLanes), aligned(4)));
using Places = std::int32_t __attribute__((vector_size(4 * kLanes)));

Vector& vector_at(float* values) { return *reinterpret_cast<Vector*>(values); }

/// Replaces every two values that are `half` lanes apart: the first by their sum, the second by
/// their difference.
template <int half>
void sum_within(Vector& vector) {
  Places partners{};
  Places sign{};
  for (int i = 0; i < kLanes; ++i) {
    partners[i] = i ^ half;
    sign[i] = (i & half) != 0 ? INT32_MIN : 0;
  }
  const auto negated = reinterpret_cast<Vector>(reinterpret_cast<Places>(vector) ^ sign);
  vector = __builtin_shuffle(vector, partners) + negated;
}

void sum_pair(Vector& one, Vector& other) {
  const Vector sum = one + other;
  other = one - other;
  one = sum;
}

void hadamard(float* row, std::int64_t size) {
  if (size < kLanes) return kPlainCodes.hadamard(row, size);
  for (std::int64_t i = 0; i < size; i += kLanes) {
    Vector vector = vector_at(row + i);
    sum_within<1>(vector);
    sum_within<2>(vector);
    sum_within<4>(vector);
    if constexpr (kLanes == 16) sum_within<8>(vector);
    vector_at(row + i) = vector;
  }
  // Two rounds at a time, so that memory is touched half as often.
  std::int64_t half = kLanes;
  for (; 4 * half <= size; half *= 4) {
    for (auto* begin = row; begin < row + size; begin += 4 * half) {
      for (auto* at = begin; at < begin + half; at += kLanes) {
        Vector part[4];
        for (int i = 0; i < 4; ++i) part[i] = vector_at(at + i * half);
        sum_pair(part[0], part[1]);
        sum_pair(part[2], part[3]);
        sum_pair(part[0], part[2]);
        sum_pair(part[1], part[3]);
        for (int i = 0; i < 4; ++i) vector_at(at + i * half) = part[i];
      }
    }
  }
  if (half == size) return;
  for (auto* at = row; at < row + half; at += kLanes) {
    sum_pair(vector_at(at), vector_at(at + half));
  }
}

constexpr CodeKernels kCodes{uniform,      pack_signs, add_signs, floor_levels, scale_numbers,
                             table_levels, add_places, hadamard,  at_least};

}  // namespace
}  // namespace pacbench::trainer::raw
