#include <algorithm>

#include "trainer/kernels/lane_kernels.h"

namespace pacbench::raw {
namespace {

/// Calls `run` with pointers to words of the layout's width.
template <typename Run>
void with_words(const LaneRange& range, void* words, Run run) {
  if (range.layout.word_bytes == 1) {
    run(static_cast<std::uint8_t*>(words));
  } else {
    run(static_cast<std::uint64_t*>(words));
  }
}

template <typename Run>
void with_words(const LaneRange& range, const void* words, Run run) {
  if (range.layout.word_bytes == 1) {
    run(static_cast<const std::uint8_t*>(words));
  } else {
    run(static_cast<const std::uint64_t*>(words));
  }
}

/// Calls `visit(word, shift, element)` for every element of the range.
template <typename Visit>
void for_each_lane(const LaneRange& range, Visit visit) {
  const auto words = range.layout.words(range.elements);
  for (int lane = 0; lane < range.layout.lanes(); ++lane) {
    const auto last = std::min(words, range.elements - lane * words);
    for (auto word = range.first_word; word < last; ++word) {
      visit(word, lane * range.layout.bits, lane * words + word);
    }
  }
}

/// Fills the lanes with `number_of(element)`, of which the lowest bits are taken.
template <typename NumberOf>
void fill_lanes(const LaneRange& range, void* packed, NumberOf number_of) {
  const int lane_mask = (1 << range.layout.bits) - 1;
  with_words(range, packed, [&]<typename Word>(Word* words) {
    std::fill(words + range.first_word, words + range.layout.words(range.elements), Word{0});
    for_each_lane(range, [&](std::int64_t word, int shift, std::int64_t element) {
      const auto lane = static_cast<std::uint64_t>(number_of(element) & lane_mask);
      words[word] = static_cast<Word>(words[word] | lane << shift);
    });
  });
}

template <typename Word>
int lane_at(Word word, int shift, const LaneRange& range) {
  return static_cast<int>(word >> shift & ((1U << range.layout.bits) - 1));
}

void pack(const std::int8_t* digits, int offset, const LaneRange& range, void* words) {
  fill_lanes(range, words, [&](std::int64_t element) { return digits[element] + offset; });
}

void unpack_sums(const void* packed, const void* own_packed, const std::int8_t* own_digits,
                 int offset, int ranks, const LaneRange& range, std::int16_t* sums) {
  with_words(range, packed, [&]<typename Word>(const Word* words) {
    const auto* own_words = static_cast<const Word*>(own_packed);
    for_each_lane(range, [&](std::int64_t word, int shift, std::int64_t element) {
      const auto others = static_cast<Word>(words[word] - own_words[word]);
      sums[element] = static_cast<std::int16_t>(lane_at(others, shift, range) +
                                                own_digits[element] + offset - ranks * offset);
    });
  });
}

void add(const void* packed, const LaneRange& range, std::int16_t* totals) {
  with_words(range, packed, [&]<typename Word>(const Word* words) {
    for_each_lane(range, [&](std::int64_t word, int shift, std::int64_t element) {
      totals[element] =
          static_cast<std::int16_t>(totals[element] + lane_at(words[word], shift, range));
    });
  });
}

void pack_totals(const std::int16_t* totals, const LaneRange& range, void* words) {
  fill_lanes(range, words, [&](std::int64_t element) { return totals[element]; });
}

void unpack_totals(const void* packed, const std::int8_t* own_digits, int offset, int ranks,
                   const LaneRange& range, std::int16_t* sums) {
  const int lane_mask = (1 << range.layout.bits) - 1;
  with_words(range, packed, [&]<typename Word>(const Word* words) {
    for_each_lane(range, [&](std::int64_t word, int shift, std::int64_t element) {
      const int own = own_digits[element] + offset;
      const int others = (lane_at(words[word], shift, range) - own) & lane_mask;
      sums[element] = static_cast<std::int16_t>(others + own - ranks * offset);
    });
  });
}

}  // namespace

const LaneKernels kPlainLanes{pack, unpack_sums, add, pack_totals, unpack_totals};

}  // namespace pacbench::raw
