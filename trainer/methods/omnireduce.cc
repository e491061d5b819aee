// OmniReduce (Fei, Ho, Sahu, Canini and Sapio 2021, SIGCOMM, doi 10.1145/3452296.3472904): only the
// blocks of 256 values that are not all zero travel, and only what the union of all ranks has comes
// back. The paper streams blocks through aggregators over DPDK or RDMA; here it happens in one
// batch over ordinary collectives: all ranks learn which blocks each has, every rank adds an equal
// share of the union, and the sums go round. Lossless; with `ratio` below 1 only the blocks of
// largest norm count as not zero, as in the paper's section 4, and error feedback keeps the rest.
#include <ATen/Functions.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "trainer/kernels/largest.h"
#include "trainer/kernels/signs.h"
#include "trainer/methods/method_entries.h"
#include "trainer/methods/option_specs.h"
#include "trainer/methods/selection.h"

namespace pacbench::trainer {
namespace {

constexpr std::int64_t kBlockElements = 256;

std::int64_t blocks_of(std::int64_t elements) {
  return (elements + kBlockElements - 1) / kBlockElements;
}

class OmniReduce final : public Averager {
 public:
  explicit OmniReduce(double ratio) : ratio_{ratio} {}

  Declares declares() const override { return Declares::kAfter; }
  bool ranks_are_alike() const override { return false; }

  std::vector<PlannedCollective> traffic(const BucketLayout& bucket, const Step&) const override {
    const auto& agreed = agreed_.at(bucket.index);
    return {{CollectiveKind::kAllGather, sign_bytes(blocks_of(bucket.elements))},
            {CollectiveKind::kAllToAll, 4 * kBlockElements * agreed.sent_blocks},
            {CollectiveKind::kAllToAll, 4 * kBlockElements * agreed.returned_blocks}};
  }

  Task<> average(Bucket& bucket, Group& group) override {
    const auto elements = bucket.layout.elements;
    const auto blocks = blocks_of(elements);
    const int ranks = group.size();
    auto padded = at::zeros({blocks * kBlockElements}, bucket.own.options());
    padded.narrow(0, 0, elements).copy_(bucket.own);
    const auto rows = padded.view({blocks, kBlockElements});

    const auto own_bits = pack_signs(has_values(rows).to(at::kFloat).sub_(0.5));
    const auto all_bits = co_await group.all_gather(own_bits);
    std::vector<at::Tensor> held;  // bool[blocks] of each rank
    for (const auto& bits : all_bits.chunk(ranks)) {
      auto signs = at::zeros({blocks}, bucket.own.options());
      add_signs(bits, 0, 1, signs);
      held.push_back(signs > 0);
    }

    // Rank r adds the r-th share of the union: places_of[p][r] are those of its blocks that p has.
    const auto union_places = at::stack(held).any(0).nonzero().flatten();
    std::vector<at::Tensor> shares;
    for (int rank = 0; rank < ranks; ++rank) {
      const auto begin = Group::chunk_begin(union_places.numel(), rank, ranks);
      const auto end = Group::chunk_begin(union_places.numel(), rank + 1, ranks);
      shares.push_back(union_places.narrow(0, begin, end - begin));
    }
    const auto own_rank = static_cast<std::size_t>(group.rank());
    const auto counts = [&](const at::Tensor& share, const at::Tensor& mask) {
      return mask.index_select(0, share).sum().item<std::int64_t>() * kBlockElements;
    };
    std::vector<std::int64_t> send_counts;
    std::vector<std::int64_t> receive_counts;
    std::vector<std::int64_t> sizes;
    for (std::size_t rank = 0; rank < held.size(); ++rank) {
      send_counts.push_back(counts(shares[rank], held[own_rank]));
      receive_counts.push_back(counts(shares[own_rank], held[rank]));
      sizes.push_back(shares[rank].numel() * kBlockElements);
    }
    agreed_[bucket.layout.index] = {
        (std::reduce(send_counts.begin(), send_counts.end()) - send_counts[own_rank]) /
            kBlockElements,
        shares[own_rank].numel() * (ranks - 1)};
    const auto own_places = held[own_rank].nonzero().flatten();
    const auto own_blocks = rows.index_select(0, own_places).flatten();
    if (bucket.keeps_rest) {
      rows.index_fill_(0, own_places, 0);
      bucket.own.copy_(padded.narrow(0, 0, elements));
    }
    const auto received = co_await group.all_to_all(own_blocks, send_counts, receive_counts);

    auto sums = at::zeros({shares[own_rank].numel(), kBlockElements}, bucket.own.options());
    std::int64_t offset = 0;
    for (std::size_t rank = 0; rank < held.size(); ++rank) {
      const auto theirs = received.narrow(0, offset, receive_counts[rank]);
      const auto places = held[rank].index_select(0, shares[own_rank]).nonzero().flatten();
      sums.index_add_(0, places, theirs.view({-1, kBlockElements}));
      offset += receive_counts[rank];
    }
    const auto means = sums.div_(ranks).flatten();
    const auto gathered = co_await group.all_gather_sized(means, sizes);

    padded.zero_();
    rows.index_copy_(0, union_places, gathered.view({-1, kBlockElements}));
    bucket.mean.copy_(padded.narrow(0, 0, elements));
  }

 private:
  /// Of one bucket in one iteration, as all ranks can tell from the bits that they exchange.
  struct Agreed {
    std::int64_t sent_blocks = 0;
    std::int64_t returned_blocks = 0;
  };

  /// bool[blocks]: those that count. A block with NaN has a norm that is not zero.
  at::Tensor has_values(const at::Tensor& rows) const {
    const auto norms = rows.norm(2, {1});
    auto counts = norms != 0;
    if (ratio_ == 1) return counts;
    auto largest_ones = at::zeros_like(counts);
    largest_ones.index_fill_(0, largest(norms, kept_of(ratio_, norms.numel())), true);
    return counts.logical_and_(largest_ones);
  }

  double ratio_;
  std::map<int, Agreed> agreed_;
};

}  // namespace

MethodEntryPoint omnireduce_method() {
  MethodInfo info;
  info.name = "omnireduce";
  info.summary = "blocks that are not zero, added by shares; with a ratio the largest ones";
  info.paper = "Fei et al. 2021, doi 10.1145/3452296.3472904";
  info.family = "sparsification";
  auto ratio = option::kept_share();
  ratio.default_value = 1.0;
  ratio.rounds = true;
  ratio.help = "share of each bucket's blocks that may travel, those of largest norm";
  info.options = {ratio, option::error_feedback(false)};
  info.lossless = true;
  info.collectives = {"all_gather", "all_to_all"};
  return averaging(info, [](const Json& options, const RunFacts&) -> std::unique_ptr<Averager> {
    return std::make_unique<OmniReduce>(options.at("ratio"));
  });
}

}  // namespace pacbench::trainer
