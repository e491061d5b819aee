#include <algorithm>

#include "trainer/kernels/lanes.h"

namespace pacbench::trainer::raw {
namespace {

int mask_of(const LaneRange& range) { return (1 << range.layout.bits) - 1; }

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
template <typename Word, typename NumberOf>
void fill_lanes(const LaneRange& range, Word* words, NumberOf number_of) {
  std::fill(words + range.first_word, words + range.layout.words(range.elements), Word{0});
  for_each_lane(range, [&](std::int64_t word, int shift, std::int64_t element) {
    const auto number = static_cast<std::uint64_t>(number_of(element) & mask_of(range));
    words[word] = static_cast<Word>(words[word] | number << shift);
  });
}

/// Calls `take(element, number)` with what each element's lane holds; word_of(i) returns word i.
template <typename WordOf, typename Take>
void read_lanes(const LaneRange& range, WordOf word_of, Take take) {
  for_each_lane(range, [&](std::int64_t word, int shift, std::int64_t element) {
    take(element, static_cast<int>(word_of(word) >> shift) & mask_of(range));
  });
}

template <typename Word>
void pack(const std::int8_t* digits, int offset, const LaneRange& range, void* words) {
  fill_lanes(range, static_cast<Word*>(words),
             [&](std::int64_t element) { return digits[element] + offset; });
}

template <typename Word>
void unpack_sums(const void* packed, const void* own_packed, const std::int8_t* own_digits,
                 int offset, int ranks, const LaneRange& range, std::int16_t* sums) {
  const auto* words = static_cast<const Word*>(packed);
  const auto* own_words = static_cast<const Word*>(own_packed);
  const auto others = [&](std::int64_t word) -> Word {
    return static_cast<Word>(words[word] - own_words[word]);
  };
  read_lanes(range, others, [&](std::int64_t element, int number) {
    const int sum = number + own_digits[element] + offset - ranks * offset;
    sums[element] = static_cast<std::int16_t>(sum);
  });
}

template <typename Word>
void add(const void* packed, const LaneRange& range, std::int16_t* totals) {
  const auto* words = static_cast<const Word*>(packed);
  read_lanes(
      range, [&](std::int64_t word) { return words[word]; },
      [&](std::int64_t element, int number) {
        totals[element] = static_cast<std::int16_t>(totals[element] + number);
      });
}

template <typename Word>
void pack_totals(const std::int16_t* totals, const LaneRange& range, void* words) {
  fill_lanes(range, static_cast<Word*>(words),
             [&](std::int64_t element) { return totals[element]; });
}

template <typename Word>
void unpack_totals(const void* packed, const std::int8_t* own_digits, int offset, int ranks,
                   const LaneRange& range, std::int16_t* sums) {
  const auto* words = static_cast<const Word*>(packed);
  read_lanes(
      range, [&](std::int64_t word) { return words[word]; },
      [&](std::int64_t element, int number) {
        const int own = own_digits[element] + offset;
        const int others = (number - own) & mask_of(range);
        sums[element] = static_cast<std::int16_t>(others + own - ranks * offset);
      });
}

template <typename Word>
constexpr LaneKernels kKernels{pack<Word>, unpack_sums<Word>, add<Word>, pack_totals<Word>,
                               unpack_totals<Word>};

}  // namespace

const LaneKernelsByWidth kPlainLanes{kKernels<std::uint8_t>, kKernels<std::uint64_t>};

}  // namespace pacbench::trainer::raw
