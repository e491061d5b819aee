#include "trainer/averaging/level_sum.h"

#include <ATen/Functions.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

#include "trainer/kernels/kernels.h"

namespace pacbench::trainer {
namespace {

constexpr std::array<std::pair<Encoding, const char*>, 4> kNames{
    {{Encoding::kInt8, "int8"},
     {Encoding::kLanes, "lanes"},
     {Encoding::kAllToAll, "all-to-all"},
     {Encoding::kAuto, "auto"}}};

constexpr std::array kWays{Encoding::kInt8, Encoding::kLanes, Encoding::kAllToAll};

at::ScalarType word_type(const LaneLayout& layout) {
  return layout.word_bytes == 1 ? at::kByte : at::kLong;
}

/// Allocates words on the device of `beside`.
at::Tensor empty_words(const LaneLayout& layout, std::int64_t elements, const at::Tensor& beside) {
  return at::empty({layout.words(elements)}, beside.options().dtype(word_type(layout)));
}

bool fits(Encoding encoding, int levels, int ranks) {
  return encoding != Encoding::kInt8 || levels * ranks <= 127;
}

void require_fit(Encoding encoding, int levels, int ranks) {
  const auto refuse = [&](const char* what, int most, const char* advice) {
    throw std::invalid_argument{
        fmt::format("encoding {}: {} workers with digits from -{} to {} sum up to {} · {} = {}, "
                    "but {} holds at most {}; {}",
                    name_of(encoding), ranks, levels, levels, levels, ranks, levels * ranks, what,
                    most, advice)};
  };
  if (!fits(encoding, levels, ranks)) {
    refuse("int8", 127, "use encoding lanes or all-to-all, fewer bits or fewer workers");
  }
  if (levels * ranks > 32767) refuse("int16", 32767, "use fewer bits or fewer workers");
}

}  // namespace

Encoding encoding_of(const std::string& name) {
  for (const auto& [encoding, known] : kNames) {
    if (name == known) return encoding;
  }
  throw std::invalid_argument{
      fmt::format("encoding: found \"{}\", expected int8, lanes, all-to-all or auto", name)};
}

const char* name_of(Encoding encoding) {
  return kNames.at(static_cast<std::size_t>(encoding)).second;
}

LevelSum::LevelSum(Encoding encoding, int levels, int ranks, const LinkFacts& link)
    : encoding_{encoding}, levels_{levels}, ranks_{ranks}, link_{link} {
  require_fit(encoding, levels, ranks);
  digit_lanes_ = LaneLayout::of(bits_for(2L * levels));
  sum_lanes_ = LaneLayout::of(std::max(1, bits_for(2L * levels * (ranks - 1))));
}

Encoding LevelSum::encoding_for(std::int64_t elements) const {
  if (encoding_ != Encoding::kAuto) return encoding_;
  const auto expected_s = [&](Encoding way) {
    double total_s = 0;
    for (const auto& call : traffic(way, elements)) total_s += expected_wire_s(call, ranks_, link_);
    return total_s;
  };
  Encoding best = Encoding::kLanes;
  for (const auto way : kWays) {
    if (fits(way, levels_, ranks_) && expected_s(way) < expected_s(best)) best = way;
  }
  return best;
}

std::vector<PlannedCollective> LevelSum::traffic(std::int64_t elements) const {
  return traffic(encoding_for(elements), elements);
}

std::vector<PlannedCollective> LevelSum::traffic(Encoding encoding, std::int64_t elements) const {
  switch (encoding) {
    case Encoding::kInt8:
      return {{CollectiveKind::kAllReduce, elements, 0}};
    case Encoding::kLanes:
      return {{CollectiveKind::kAllReduce, sum_lanes_.bytes(elements), 0}};
    default:
      return {
          {CollectiveKind::kAllToAll, (ranks_ - 1) * digit_lanes_.bytes(share(elements)), 0},
          {CollectiveKind::kAllGather, sum_lanes_.bytes(share(elements)), 0},
      };
  }
}

Task<at::Tensor> LevelSum::sum(at::Tensor digits, Group& group) const {
  const auto way = encoding_for(digits.numel());
  group.notes()["encoding"] = name_of(way);
  if (way == Encoding::kLanes) co_return co_await sum_lanes(digits, group);
  if (way == Encoding::kAllToAll) co_return co_await sum_shares(digits, group);
  co_await group.all_reduce(digits);
  co_return digits;
}

Task<at::Tensor> LevelSum::sum_lanes(at::Tensor digits, Group& group) const {
  const auto own = empty_words(sum_lanes_, digits.numel(), digits);
  pack(digits, levels_, sum_lanes_, own);
  const auto total = own.clone();
  co_await group.all_reduce(total);
  auto sums = at::empty({digits.numel()}, digits.options().dtype(at::kShort));
  unpack_sums(total, own, digits, levels_, ranks_, sum_lanes_, sums);
  co_return sums;
}

Task<at::Tensor> LevelSum::sum_shares(at::Tensor digits, Group& group) const {
  const auto count = share(digits.numel());
  const auto words = digit_lanes_.words(count);
  // All shares are of one size: zeros follow the last digit.
  auto padded = at::zeros({count * ranks_}, digits.options());
  padded.narrow(0, 0, digits.numel()).copy_(digits);
  const std::vector<std::int64_t> counts(static_cast<std::size_t>(ranks_), words);
  const auto packed = pack_shares(padded);
  const auto received = co_await group.all_to_all(packed, counts, counts);

  auto share_words = empty_words(sum_lanes_, count, digits);
  pack_totals(total_of_share(received, count), sum_lanes_, share_words);
  const auto gathered = co_await group.all_gather(share_words);

  auto sums = at::empty({count * ranks_}, digits.options().dtype(at::kShort));
  for (int rank = 0; rank < ranks_; ++rank) {
    const auto theirs = gathered.narrow(0, rank * share_words.numel(), share_words.numel());
    unpack_totals(theirs, padded.narrow(0, rank * count, count), levels_, ranks_, sum_lanes_,
                  sums.narrow(0, rank * count, count));
  }
  co_return sums.narrow(0, 0, digits.numel());
}

/// Packs every rank's share on its own, so that it can be unpacked without the others.
at::Tensor LevelSum::pack_shares(const at::Tensor& digits) const {
  const auto count = digits.numel() / ranks_;
  const auto words = digit_lanes_.words(count);
  auto packed = at::empty({words * ranks_}, digits.options().dtype(word_type(digit_lanes_)));
  for (int rank = 0; rank < ranks_; ++rank) {
    pack(digits.narrow(0, rank * count, count), levels_, digit_lanes_,
         packed.narrow(0, rank * words, words));
  }
  return packed;
}

/// int16[count]: the sum of all ranks' digits, each with `levels` added.
at::Tensor LevelSum::total_of_share(const at::Tensor& received, std::int64_t count) const {
  const auto words = digit_lanes_.words(count);
  auto totals = at::zeros({count}, received.options().dtype(at::kShort));
  for (int rank = 0; rank < ranks_; ++rank) {
    add_lanes(received.narrow(0, rank * words, words), digit_lanes_, totals);
  }
  return totals;
}

}  // namespace pacbench::trainer
