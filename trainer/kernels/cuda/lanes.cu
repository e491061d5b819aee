// One thread handles one word and loops over its lanes. In each turn of the loop neighbouring
// threads read neighbouring digits, so that the GPU can join their reads.
#include "trainer/kernels/cuda/launch.cuh"

namespace pacbench::trainer::raw {
namespace {

/// The numbers of a range, as plain members that can be copied into kernels.
struct Lanes {
  explicit Lanes(const LaneRange& range)
      : lanes{range.layout.lanes()},
        bits{range.layout.bits},
        mask{(1 << bits) - 1},
        words{range.layout.words(range.elements)},
        elements{range.elements},
        first_word{range.first_word} {}

  int lanes;
  int bits;
  int mask;
  std::int64_t words;
  std::int64_t elements;
  std::int64_t first_word;

  /// Calls `visit(shift, element)` for every lane of a word that holds an element.
  template <typename Visit>
  __device__ void for_each(std::int64_t word, Visit visit) const {
    for (int lane = 0; lane < lanes && lane * words + word < elements; ++lane) {
      visit(lane * bits, lane * words + word);
    }
  }

  template <typename Word>
  __device__ int number(Word word, int shift) const {
    return static_cast<int>(word >> shift) & mask;
  }
};

/// Runs `work(word)` for all words of the range.
template <typename Work>
void for_each_word(const Lanes& lanes, Work work) {
  const auto first = lanes.first_word;
  for_each_index(lanes.words - first, [=] __device__(std::int64_t i) { work(first + i); });
}

/// Fills the lanes with `number_of(element)`, of which the lowest bits are taken.
template <typename Word, typename NumberOf>
void fill_lanes(const LaneRange& range, void* packed, NumberOf number_of) {
  const Lanes lanes{range};
  auto* const words = static_cast<Word*>(packed);
  for_each_word(lanes, [=] __device__(std::int64_t word) {
    std::uint64_t joined = 0;
    lanes.for_each(word, [&](int shift, std::int64_t element) {
      joined |= static_cast<std::uint64_t>(number_of(element) & lanes.mask) << shift;
    });
    words[word] = static_cast<Word>(joined);
  });
}

template <typename Word>
void pack(const std::int8_t* digits, int offset, const LaneRange& range, void* packed) {
  fill_lanes<Word>(range, packed,
                   [=] __device__(std::int64_t element) { return digits[element] + offset; });
}

template <typename Word>
void unpack_sums(const void* packed, const void* own_packed, const std::int8_t* own_digits,
                 int offset, int ranks, const LaneRange& range, std::int16_t* sums) {
  const Lanes lanes{range};
  const auto* const words = static_cast<const Word*>(packed);
  const auto* const own_words = static_cast<const Word*>(own_packed);
  for_each_word(lanes, [=] __device__(std::int64_t word) {
    const auto others = static_cast<Word>(words[word] - own_words[word]);
    lanes.for_each(word, [&](int shift, std::int64_t element) {
      const int sum = lanes.number(others, shift) + own_digits[element] + offset - ranks * offset;
      sums[element] = static_cast<std::int16_t>(sum);
    });
  });
}

template <typename Word>
void add(const void* packed, const LaneRange& range, std::int16_t* totals) {
  const Lanes lanes{range};
  const auto* const words = static_cast<const Word*>(packed);
  for_each_word(lanes, [=] __device__(std::int64_t word) {
    lanes.for_each(word, [&](int shift, std::int64_t element) {
      const int total = totals[element] + lanes.number(words[word], shift);
      totals[element] = static_cast<std::int16_t>(total);
    });
  });
}

template <typename Word>
void pack_totals(const std::int16_t* totals, const LaneRange& range, void* packed) {
  fill_lanes<Word>(range, packed,
                   [=] __device__(std::int64_t element) -> int { return totals[element]; });
}

template <typename Word>
void unpack_totals(const void* packed, const std::int8_t* own_digits, int offset, int ranks,
                   const LaneRange& range, std::int16_t* sums) {
  const Lanes lanes{range};
  const auto* const words = static_cast<const Word*>(packed);
  for_each_word(lanes, [=] __device__(std::int64_t word) {
    lanes.for_each(word, [&](int shift, std::int64_t element) {
      const int own = own_digits[element] + offset;
      const int others = (lanes.number(words[word], shift) - own) & lanes.mask;
      sums[element] = static_cast<std::int16_t>(others + own - ranks * offset);
    });
  });
}

template <typename Word>
constexpr LaneKernels kKernels{pack<Word>, unpack_sums<Word>, add<Word>, pack_totals<Word>,
                               unpack_totals<Word>};

}  // namespace

const LaneKernelsByWidth kCudaLanes{kKernels<std::uint8_t>, kKernels<std::uint64_t>};

}  // namespace pacbench::trainer::raw
