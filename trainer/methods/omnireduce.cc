// OmniReduce (Fei, Ho, Sahu, Canini and Sapio 2021, SIGCOMM, doi 10.1145/3452296.3472904): only the
// blocks of 256 values that are not all zero travel, and only what the union of all ranks has comes
// back. The paper streams blocks through aggregators over DPDK or RDMA; here it happens in one
// batch over ordinary collectives: all ranks learn which blocks each has, every rank adds an equal
// share of the union, and the sums go round. Lossless; with `ratio` below 1 only the blocks of
// largest norm count as not zero, as in the paper's section 4, and error feedback keeps the rest.
#include <ATen/Functions.h>

#include <map>
#include <utility>

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

/// Which blocks each rank has that are not zero, and which rank adds which: an equal share of the
/// union. The same on all ranks.
class BlockPlan {
 public:
  /// `held`: bool[blocks] of each rank.
  explicit BlockPlan(std::vector<at::Tensor> held)
      : held_{std::move(held)}, all_{at::stack(held_).any(0).nonzero().flatten()} {}

  std::size_t ranks() const { return held_.size(); }
  /// The blocks that any rank has, ascending.
  const at::Tensor& all() const { return all_; }
  at::Tensor of_rank(std::size_t rank) const { return held_[rank].nonzero().flatten(); }

  /// Those of `all` that `adder` adds.
  at::Tensor share(std::size_t adder) const {
    const int size = static_cast<int>(ranks());
    const int rank = static_cast<int>(adder);
    const auto begin = Group::chunk_begin(all_.numel(), rank, size);
    return all_.narrow(0, begin, Group::chunk_begin(all_.numel(), rank + 1, size) - begin);
  }

  /// Where in the share of `adder` the blocks lie that `holder` has.
  at::Tensor places(std::size_t adder, std::size_t holder) const {
    return held_[holder].index_select(0, share(adder)).nonzero().flatten();
  }

 private:
  std::vector<at::Tensor> held_;
  at::Tensor all_;
};

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
    const auto own = static_cast<std::size_t>(group.rank());
    auto rows = at::zeros({blocks_of(elements), kBlockElements}, bucket.own.options());
    const auto values = rows.flatten().narrow(0, 0, elements);
    values.copy_(bucket.own);

    const auto own_bits = pack_signs(has_values(rows).to(at::kFloat).sub_(0.5));
    const auto all_bits = co_await group.all_gather(own_bits);
    const BlockPlan plan{unpacked(all_bits.chunk(group.size()), rows)};

    std::vector<std::int64_t> send_counts;
    std::vector<std::int64_t> receive_counts;
    std::vector<std::int64_t> share_sizes;
    std::vector<at::Tensor> places;
    for (std::size_t rank = 0; rank < plan.ranks(); ++rank) {
      places.push_back(plan.places(own, rank));
      send_counts.push_back(plan.places(rank, own).numel() * kBlockElements);
      receive_counts.push_back(places.back().numel() * kBlockElements);
      share_sizes.push_back(plan.share(rank).numel() * kBlockElements);
    }
    const auto own_places = plan.of_rank(own);
    agreed_[bucket.layout.index] = {own_places.numel() - places[own].numel(),
                                    plan.share(own).numel() * (group.size() - 1)};
    const auto own_blocks = rows.index_select(0, own_places).flatten();
    if (bucket.keeps_rest) {
      rows.index_fill_(0, own_places, 0);
      bucket.own.copy_(values);
    }
    const auto received = co_await group.all_to_all(own_blocks, send_counts, receive_counts);

    auto sums = at::zeros({plan.share(own).numel(), kBlockElements}, rows.options());
    const auto parts = received.split_with_sizes(receive_counts);
    for (std::size_t rank = 0; rank < plan.ranks(); ++rank) {
      sums.index_add_(0, places[rank], parts[rank].view({-1, kBlockElements}));
    }
    const auto means = sums.div_(group.size()).flatten();
    const auto gathered = co_await group.all_gather_sized(means, share_sizes);

    rows.zero_().index_copy_(0, plan.all(), gathered.view({-1, kBlockElements}));
    bucket.mean.copy_(values);
  }

 private:
  /// What this rank sends for a bucket, as all ranks can tell from the bits that they exchange.
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

  /// bool[blocks] for each rank's bits.
  static std::vector<at::Tensor> unpacked(const std::vector<at::Tensor>& bits,
                                          const at::Tensor& rows) {
    std::vector<at::Tensor> held;
    for (const auto& one : bits) {
      auto signs = at::zeros({rows.size(0)}, rows.options());
      add_signs(one, 0, 1, signs);
      held.push_back(signs > 0);
    }
    return held;
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
  info.options = {option::share_of_nonzero("share of each bucket's blocks that may travel, those "
                                           "of largest norm; 1: all that are not zero"),
                  option::error_feedback(false)};
  info.lossless = true;
  info.collectives = {"all_gather", "all_to_all"};
  return averaging(info, [](const Json& options, const RunFacts&) -> std::unique_ptr<Averager> {
    return std::make_unique<OmniReduce>(options.at("ratio"));
  });
}

}  // namespace pacbench::trainer
