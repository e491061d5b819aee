#include "trainer/averaging/level_sum.h"

#include <ATen/Functions.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>

#include "trainer/averaging/exchange_times.h"
#include "trainer/kernels/kernels.h"

namespace pacbench::trainer {
namespace {

constexpr std::array kNames{"int8", "lanes", "all-to-all", "auto"};  ///< as Encoding has them

/// Allocates `words` words on the device of `beside`.
at::Tensor empty_words(const LaneLayout& layout, std::int64_t words, const at::Tensor& beside) {
  const auto type = layout.word_bytes == 1 ? at::kByte : at::kLong;
  return at::empty({words}, beside.options().dtype(type));
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
  const auto found = std::find(kNames.begin(), kNames.end(), name);
  if (found != kNames.end()) return static_cast<Encoding>(found - kNames.begin());
  throw std::invalid_argument{
      fmt::format("encoding: found \"{}\", expected int8, lanes, all-to-all or auto", name)};
}

const char* name_of(Encoding encoding) { return kNames.at(static_cast<std::size_t>(encoding)); }

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
  for (const auto way : {Encoding::kInt8, Encoding::kLanes, Encoding::kAllToAll}) {
    if (fits(way, levels_, ranks_) && expected_s(way) < expected_s(best)) best = way;
  }
  return best;
}

PlannedCalls LevelSum::traffic(Encoding encoding, std::int64_t elements) const {
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
  const auto own = empty_words(sum_lanes_, sum_lanes_.words(digits.numel()), digits);
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
  // All shares are of one size: zeros follow the last digit. Each is packed on its own, so that it
  // can be unpacked without the others.
  const auto padded = at::constant_pad_nd(digits, {0, count * ranks_ - digits.numel()});
  const auto shares = padded.chunk(ranks_);
  const auto packed = empty_words(digit_lanes_, words * ranks_, digits);
  const auto packed_shares = packed.chunk(ranks_);
  for (std::size_t rank = 0; rank < shares.size(); ++rank) {
    pack(shares[rank], levels_, digit_lanes_, packed_shares[rank]);
  }
  const std::vector<std::int64_t> counts(shares.size(), words);
  const auto received = co_await group.all_to_all(packed, counts, counts);

  // int16[count]: the sum of all ranks' digits, each with `levels` added.
  const auto totals = at::zeros({count}, digits.options().dtype(at::kShort));
  for (const auto& theirs : received.chunk(ranks_)) add_lanes(theirs, digit_lanes_, totals);
  const auto own_totals = empty_words(sum_lanes_, sum_lanes_.words(count), digits);
  pack_totals(totals, sum_lanes_, own_totals);
  const auto gathered = (co_await group.all_gather(own_totals)).chunk(ranks_);

  const auto sums = at::empty({count * ranks_}, digits.options().dtype(at::kShort));
  const auto parts = sums.chunk(ranks_);
  for (std::size_t rank = 0; rank < shares.size(); ++rank) {
    unpack_totals(gathered[rank], shares[rank], levels_, ranks_, sum_lanes_, parts[rank]);
  }
  co_return sums.narrow(0, 0, digits.numel());
}

}  // namespace pacbench::trainer
