#pragma once

#include <type_traits>

#include "trainer/kernels/lanes.h"

// Each file that is compiled for one instruction set includes this header, so its names are local
// to the file. Before the include the file defines, in namespace pacbench::trainer::raw and with
// internal linkage:
//
// Int16s: kWords numbers of 16 bits. broadcast(number) and load(int8 digits or int16 totals) make
// them; store(totals) writes them. They have +, -, &, up(bits) (shift left) and down(bits) (shift
// right).
//
// ByteWords and LongWords: kWords words, read and written in pieces of kPieceBits bits. They have
// load, store and minus (subtract). push(piece, bits) shifts each word left by `bits` and adds the
// piece. piece(shift) returns the kPieceBits bits from bit `shift` on. plain() returns the kernels
// without vector instructions.
namespace pacbench::trainer::raw {
namespace {

// 64 digits fill a cache line, so each step uses a whole line of every lane's digits. Lines of
// several lanes that share a set of the cache are then not evicted half used.
constexpr int kWords = 64;

/// The numbers of a layout that the loops use.
struct Lanes {
  Lanes(const LaneRange& range, int piece_bits)
      : lanes{range.layout.lanes()},
        bits{range.layout.bits},
        per_piece{piece_bits / bits},
        last_piece{(lanes - 1) / per_piece * per_piece},
        words{range.layout.words(range.elements)},
        full{range.elements - (lanes - 1) * words},
        mask{Int16s::broadcast((1 << bits) - 1)} {}

  int lanes;
  int bits;
  int per_piece;   ///< lanes in a piece
  int last_piece;  ///< first lane of the last piece
  std::int64_t words;
  std::int64_t full;  ///< words below this number hold an element in every lane
  Int16s mask;
};

/// Returns words whose lane j holds `number_of(j)` + `offset`.
template <typename Words, typename NumberOf>
Words joined(const Lanes& lanes, int offset, NumberOf number_of) {
  Words words{};
  int lane = lanes.lanes;
  for (int begin = lanes.last_piece; begin >= 0; begin -= lanes.per_piece) {
    const int piece_bits = (lane - begin) * lanes.bits;
    Int16s piece = number_of(--lane);
    int offsets = offset;
    while (lane > begin) {
      piece = piece.up(lanes.bits) + number_of(--lane);
      offsets = (offsets << lanes.bits) + offset;
    }
    words.push(piece + Int16s::broadcast(offsets), piece_bits);
  }
  return words;
}

/// Calls `take(j, number)` with what every lane j of the words holds.
template <typename Words, typename Take>
void split(const Lanes& lanes, const Words& words, Take take) {
  for (int lane = 0; lane < lanes.lanes;) {
    Int16s piece = words.piece(lane * lanes.bits);
    for (int i = 0; i < lanes.per_piece && lane < lanes.lanes; ++i, ++lane) {
      take(lane, piece & lanes.mask);
      piece = piece.down(lanes.bits);
    }
  }
}

/// Calls `work` for each whole group of kWords words, with the index of the group's first word, and
/// returns the rest of the range.
template <typename Work>
LaneRange by_groups(const LaneRange& range, const Lanes& lanes, Work work) {
  auto word = range.first_word;
  for (; word + kWords <= lanes.full; word += kWords) work(word);
  return {range.layout, range.elements, word};
}

/// Prefetches a lane's numbers, to read or, where Number is not const, to write. It does so only
/// with more than eight lanes, which are more streams than CPUs prefetch by themselves. (If this
/// function is not inlined, GCC takes it for one without effect and leaves out the calls.)
template <typename Number>
[[gnu::always_inline]] inline void fetch_ahead(const Lanes& lanes, Number* numbers) {
  constexpr int kAhead = 4 * kWords;
  constexpr int kPerLine = 64 / sizeof(Number);
  if (lanes.lanes <= 8) return;
  for (int i = 0; i < kWords; i += kPerLine) {
    __builtin_prefetch(numbers + kAhead + i, std::is_const_v<Number> ? 0 : 1);
  }
}

template <typename Words>
void pack(const std::int8_t* digits, int offset, const LaneRange& range, void* packed) {
  const Lanes lanes{range, Words::kPieceBits};
  const auto rest = by_groups(range, lanes, [&](std::int64_t word) {
    const auto number_of = [&](int lane) {
      const auto* from = digits + lane * lanes.words + word;
      fetch_ahead(lanes, from);
      return Int16s::load(from);
    };
    joined<Words>(lanes, offset, number_of).store(packed, word);
  });
  Words::plain().pack(digits, offset, rest, packed);
}

template <typename Words>
void unpack_sums(const void* packed, const void* own_packed, const std::int8_t* own_digits,
                 int offset, int ranks, const LaneRange& range, std::int16_t* sums) {
  const Lanes lanes{range, Words::kPieceBits};
  const auto constant = Int16s::broadcast(offset - ranks * offset);
  const auto rest = by_groups(range, lanes, [&](std::int64_t word) {
    const auto others = Words::load(packed, word).minus(Words::load(own_packed, word));
    split(lanes, others, [&](int lane, const Int16s& number) {
      const auto element = lane * lanes.words + word;
      fetch_ahead(lanes, own_digits + element);
      fetch_ahead(lanes, sums + element);
      (number + Int16s::load(own_digits + element) + constant).store(sums + element);
    });
  });
  Words::plain().unpack_sums(packed, own_packed, own_digits, offset, ranks, rest, sums);
}

template <typename Words>
void add(const void* packed, const LaneRange& range, std::int16_t* totals) {
  const Lanes lanes{range, Words::kPieceBits};
  const auto rest = by_groups(range, lanes, [&](std::int64_t word) {
    split(lanes, Words::load(packed, word), [&](int lane, const Int16s& number) {
      auto* const at = totals + lane * lanes.words + word;
      (Int16s::load(at) + number).store(at);
    });
  });
  Words::plain().add(packed, rest, totals);
}

template <typename Words>
void pack_totals(const std::int16_t* totals, const LaneRange& range, void* packed) {
  const Lanes lanes{range, Words::kPieceBits};
  const auto rest = by_groups(range, lanes, [&](std::int64_t word) {
    const auto number_of = [&](int lane) {
      const auto* from = totals + lane * lanes.words + word;
      fetch_ahead(lanes, from);
      return Int16s::load(from) & lanes.mask;
    };
    joined<Words>(lanes, 0, number_of).store(packed, word);
  });
  Words::plain().pack_totals(totals, rest, packed);
}

template <typename Words>
void unpack_totals(const void* packed, const std::int8_t* own_digits, int offset, int ranks,
                   const LaneRange& range, std::int16_t* sums) {
  const Lanes lanes{range, Words::kPieceBits};
  const auto offsets = Int16s::broadcast(offset);
  const auto all_offsets = Int16s::broadcast(ranks * offset);
  const auto rest = by_groups(range, lanes, [&](std::int64_t word) {
    split(lanes, Words::load(packed, word), [&](int lane, const Int16s& number) {
      const auto element = lane * lanes.words + word;
      fetch_ahead(lanes, own_digits + element);
      fetch_ahead(lanes, sums + element);
      const auto own = Int16s::load(own_digits + element) + offsets;
      (((number - own) & lanes.mask) + own - all_offsets).store(sums + element);
    });
  });
  Words::plain().unpack_totals(packed, own_digits, offset, ranks, rest, sums);
}

template <typename Words>
constexpr LaneKernels kKernels{pack<Words>, unpack_sums<Words>, add<Words>, pack_totals<Words>,
                               unpack_totals<Words>};

}  // namespace
}  // namespace pacbench::trainer::raw
