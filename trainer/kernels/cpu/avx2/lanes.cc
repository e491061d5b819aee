// 16 words at a time. Lanes are joined to pieces of up to 16 bits, and taken from them, in vectors
// of 16-bit numbers; only whole pieces are widened to words and narrowed from them.
#include <immintrin.h>

#include "trainer/kernels/cpu/avx2/lane_words.h"
#include "trainer/kernels/lane_kernels.h"

namespace pacbench::raw {
namespace {

/// A layout's numbers at hand.
struct Lanes {
  explicit Lanes(const LaneRange& range)
      : lanes{range.layout.lanes()},
        bits{range.layout.bits},
        words{range.layout.words(range.elements)},
        full{range.elements - (lanes - 1) * words},
        lane_bits{_mm_cvtsi32_si128(bits)},
        lane_mask{_mm256_set1_epi16(static_cast<short>((1 << bits) - 1))} {}

  int lanes;
  int bits;
  std::int64_t words;
  std::int64_t full;  ///< words before it hold an element in every lane
  __m128i lane_bits;
  __m256i lane_mask;
};

/// The 16 words of which lane j holds `number_of(j)`, numbers of 16 bits.
template <typename Words, typename NumberOf>
Words joined(const Lanes& lanes, NumberOf number_of) {
  const int per_piece = Words::kPieceBits / lanes.bits;
  Words words;
  for (int lane = lanes.lanes; lane > 0;) {
    const int piece_begin = (lane - 1) / per_piece * per_piece;
    const int piece_bits = (lane - piece_begin) * lanes.bits;
    __m256i piece = number_of(--lane);
    while (lane > piece_begin) {
      piece = _mm256_or_si256(_mm256_sll_epi16(piece, lanes.lane_bits), number_of(--lane));
    }
    words.push(piece, piece_bits);
  }
  return words;
}

/// Calls `take(j, number)` with what every lane j of the words holds.
template <typename Words, typename Take>
void split(const Lanes& lanes, const Words& words, Take take) {
  const int per_piece = Words::kPieceBits / lanes.bits;
  for (int lane = 0; lane < lanes.lanes;) {
    __m256i piece = words.piece(lane * lanes.bits);
    for (int i = 0; i < per_piece && lane < lanes.lanes; ++i, ++lane) {
      take(lane, _mm256_and_si256(piece, lanes.lane_mask));
      piece = _mm256_srl_epi16(piece, lanes.lane_bits);
    }
  }
}

/// Calls `work` with the first of 16 words, again and again, then gives what is left of the range.
template <typename Work>
LaneRange by_sixteen(const LaneRange& range, const Lanes& lanes, Work work) {
  auto word = range.first_word;
  for (; word + 16 <= lanes.full; word += 16) work(word);
  return {range.layout, range.elements, word};
}

__m256i load_digits(const std::int8_t* digits) {
  return _mm256_cvtepi8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(digits)));
}
__m256i load_totals(const std::int16_t* totals) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(totals));
}
void store_totals(__m256i totals, std::int16_t* to) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), totals);
}
__m256i broadcast(int number) { return _mm256_set1_epi16(static_cast<short>(number)); }

template <typename Words>
void pack(const std::int8_t* digits, int offset, const LaneRange& range, void* packed) {
  const Lanes lanes{range};
  const __m256i offsets = broadcast(offset);
  const auto rest = by_sixteen(range, lanes, [&](std::int64_t word) {
    joined<Words>(lanes, [&](int lane) {
      return _mm256_add_epi16(load_digits(digits + lane * lanes.words + word), offsets);
    }).store(packed, word);
  });
  Words::plain().pack(digits, offset, rest, packed);
}

template <typename Words>
void unpack_sums(const void* packed, const void* own_packed, const std::int8_t* own_digits,
                 int offset, int ranks, const LaneRange& range, std::int16_t* sums) {
  const Lanes lanes{range};
  const __m256i constant = broadcast(offset - ranks * offset);
  const auto rest = by_sixteen(range, lanes, [&](std::int64_t word) {
    const auto others = Words::load(packed, word).minus(Words::load(own_packed, word));
    split(lanes, others, [&](int lane, __m256i number) {
      const auto element = lane * lanes.words + word;
      const __m256i own = _mm256_add_epi16(load_digits(own_digits + element), constant);
      store_totals(_mm256_add_epi16(number, own), sums + element);
    });
  });
  Words::plain().unpack_sums(packed, own_packed, own_digits, offset, ranks, rest, sums);
}

template <typename Words>
void add(const void* packed, const LaneRange& range, std::int16_t* totals) {
  const Lanes lanes{range};
  const auto rest = by_sixteen(range, lanes, [&](std::int64_t word) {
    split(lanes, Words::load(packed, word), [&](int lane, __m256i number) {
      auto* const at = totals + lane * lanes.words + word;
      store_totals(_mm256_add_epi16(load_totals(at), number), at);
    });
  });
  Words::plain().add(packed, rest, totals);
}

template <typename Words>
void pack_totals(const std::int16_t* totals, const LaneRange& range, void* packed) {
  const Lanes lanes{range};
  const auto rest = by_sixteen(range, lanes, [&](std::int64_t word) {
    joined<Words>(lanes, [&](int lane) {
      return _mm256_and_si256(load_totals(totals + lane * lanes.words + word), lanes.lane_mask);
    }).store(packed, word);
  });
  Words::plain().pack_totals(totals, rest, packed);
}

template <typename Words>
void unpack_totals(const void* packed, const std::int8_t* own_digits, int offset, int ranks,
                   const LaneRange& range, std::int16_t* sums) {
  const Lanes lanes{range};
  const __m256i offsets = broadcast(offset);
  const __m256i all_offsets = broadcast(ranks * offset);
  const auto rest = by_sixteen(range, lanes, [&](std::int64_t word) {
    split(lanes, Words::load(packed, word), [&](int lane, __m256i number) {
      const auto element = lane * lanes.words + word;
      const __m256i own = _mm256_add_epi16(load_digits(own_digits + element), offsets);
      const __m256i others = _mm256_and_si256(_mm256_sub_epi16(number, own), lanes.lane_mask);
      store_totals(_mm256_sub_epi16(_mm256_add_epi16(others, own), all_offsets), sums + element);
    });
  });
  Words::plain().unpack_totals(packed, own_digits, offset, ranks, rest, sums);
}

template <typename Words>
constexpr LaneKernels kKernels{pack<Words>, unpack_sums<Words>, add<Words>, pack_totals<Words>,
                               unpack_totals<Words>};

}  // namespace

const LaneKernelsByWidth kAvx2Lanes{kKernels<ByteWords>, kKernels<LongWords>};

}  // namespace pacbench::raw
