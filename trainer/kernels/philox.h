#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace pacbench::trainer {

/// Philox4x32-10 (Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as easy as 1, 2, 3",
/// SC 2011): a keyed bijection of a 128-bit counter. A random number is thus a pure function of
/// what it is for, whatever thread, bucket or process asks for it, and in whatever order.
struct Philox4x32 {
  using Counter = std::array<std::uint32_t, 4>;
  using Key = std::array<std::uint32_t, 2>;

  static constexpr int kRounds = 10;
  static constexpr std::uint32_t kMultiplier0 = 0xD2511F53U;
  static constexpr std::uint32_t kMultiplier1 = 0xCD9E8D57U;
  static constexpr std::uint32_t kWeyl0 = 0x9E3779B9U;
  static constexpr std::uint32_t kWeyl1 = 0xBB67AE85U;

  /// The four random words of one counter.
  static constexpr Counter words(Counter counter, Key key) {
    for (int round = 0; round < kRounds; ++round) {
      counter = mixed(counter, key);
      key = {key[0] + kWeyl0, key[1] + kWeyl1};
    }
    return counter;
  }

  static constexpr Counter mixed(const Counter& c, const Key& key) {
    const std::uint64_t product0 = std::uint64_t{kMultiplier0} * c[0];
    const std::uint64_t product1 = std::uint64_t{kMultiplier1} * c[2];
    return {static_cast<std::uint32_t>(product1 >> 32) ^ c[1] ^ key[0],
            static_cast<std::uint32_t>(product1),
            static_cast<std::uint32_t>(product0 >> 32) ^ c[3] ^ key[1],
            static_cast<std::uint32_t>(product0)};
  }
};

/// The use of random numbers; it keeps the streams of one seed apart.
enum class RandomUse : std::uint8_t {
  kInitialWeights = 1,
  kDataOrder,
  kAugmentation,
  kPruning,
  kRounding,
  kSelection,
  kDirections,
};

/// A stream in plain numbers, for kernels in other instruction sets and on GPUs. Word e % 4 of
/// block e / 4 is element e's.
struct PhiloxStream {
  std::uint32_t counter[4];  ///< of block 0; counter[0] counts blocks
  std::uint32_t key[2];
};

/// Names one stream of random numbers; its elements are counted from 0. Keys that differ anywhere
/// name different streams. `rank` < 2^24 - 1, `iteration` and `parameter` < 2^32.
struct RandomKey {
  static constexpr int kShared = -1;  ///< the same numbers on all ranks

  std::int64_t seed = 0;
  RandomUse use = RandomUse::kRounding;
  int rank = kShared;
  std::int64_t iteration = 0;
  std::int64_t parameter = 0;

  Philox4x32::Key philox_key() const {
    const auto bits = static_cast<std::uint64_t>(seed);
    return {static_cast<std::uint32_t>(bits), static_cast<std::uint32_t>(bits >> 32)};
  }

  /// Counter of the block of four elements that begins at element 4 · `block`.
  Philox4x32::Counter counter(std::uint32_t block) const {
    const auto who = (static_cast<std::uint32_t>(rank) + 1U) & 0xFFFFFFU;
    return {block, static_cast<std::uint32_t>(parameter), static_cast<std::uint32_t>(iteration),
            (static_cast<std::uint32_t>(use) << 24) | who};
  }

  PhiloxStream stream() const {
    const auto start = counter(0);
    const auto key = philox_key();
    return {{start[0], start[1], start[2], start[3]}, {key[0], key[1]}};
  }
};

namespace philox_detail {

constexpr std::size_t kLanes = 16;

/// Sixteen blocks at once, one array per word, so that the compiler vectorises the rounds.
struct Lanes {
  std::uint32_t word[4][kLanes];

  Lanes(const PhiloxStream& stream, std::uint32_t first_block) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      word[0][lane] = stream.counter[0] + first_block + static_cast<std::uint32_t>(lane);
      word[1][lane] = stream.counter[1];
      word[2][lane] = stream.counter[2];
      word[3][lane] = stream.counter[3];
    }
    Philox4x32::Key key{stream.key[0], stream.key[1]};
    for (int round = 0; round < Philox4x32::kRounds; ++round) {
      mix(key[0], key[1]);
      key = {key[0] + Philox4x32::kWeyl0, key[1] + Philox4x32::kWeyl1};
    }
  }

  void mix(std::uint32_t key0, std::uint32_t key1) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const std::uint64_t product0 = std::uint64_t{Philox4x32::kMultiplier0} * word[0][lane];
      const std::uint64_t product1 = std::uint64_t{Philox4x32::kMultiplier1} * word[2][lane];
      const std::uint32_t next0 = static_cast<std::uint32_t>(product1 >> 32) ^ word[1][lane] ^ key0;
      const std::uint32_t next2 = static_cast<std::uint32_t>(product0 >> 32) ^ word[3][lane] ^ key1;
      word[0][lane] = next0;
      word[1][lane] = static_cast<std::uint32_t>(product1);
      word[2][lane] = next2;
      word[3][lane] = static_cast<std::uint32_t>(product0);
    }
  }
};

}  // namespace philox_detail

/// Calls `store(i, word)` with the random word of element `first` + i, for i in [0, count).
template <typename Store>
void for_each_random_word(const PhiloxStream& stream, std::int64_t first, std::int64_t count,
                          Store store) {
  constexpr auto kPerBatch = static_cast<std::int64_t>(4 * philox_detail::kLanes);
  const std::int64_t end = first + count;
  for (std::int64_t batch = first / kPerBatch * kPerBatch; batch < end; batch += kPerBatch) {
    const philox_detail::Lanes lanes{stream, static_cast<std::uint32_t>(batch / 4)};
    const std::int64_t from = std::max(first, batch);
    const std::int64_t to = std::min(end, batch + kPerBatch);
    for (std::int64_t element = from; element < to; ++element) {
      const auto offset = static_cast<std::size_t>(element - batch);
      store(element - first, lanes.word[offset % 4][offset / 4]);
    }
  }
}

/// The upper 24 bits of a random word as a float in [0, 1): every value is exact.
constexpr float uniform_float(std::uint32_t word) {
  return static_cast<float>(static_cast<std::int32_t>(word >> 8)) * 0x1p-24F;
}

/// Sets out[i] to the uniform float in [0, 1) of element `first` + i, for i in [0, count).
inline void fill_uniform(const RandomKey& key, std::int64_t first, std::int64_t count, float* out) {
  for_each_random_word(key.stream(), first, count,
                       [out](std::int64_t i, std::uint32_t word) { out[i] = uniform_float(word); });
}

/// A random word as an integer in [0, bound). The bias is below bound / 2^32.
inline std::int64_t bounded(std::uint32_t word, std::int64_t bound) {
  return static_cast<std::int64_t>((std::uint64_t{word} * static_cast<std::uint64_t>(bound)) >> 32);
}

}  // namespace pacbench::trainer
