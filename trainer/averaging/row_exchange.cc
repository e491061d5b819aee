#include "trainer/averaging/row_exchange.h"

#include <ATen/Functions.h>

#include <utility>

#include "trainer/kernels/signs.h"

namespace pacbench::trainer {

/// Knows which rows each rank holds, and which rows each rank sums: an equal share of the union.
/// The plan is the same on all ranks.
class RowExchange::Plan {
 public:
  /// `held`: bool[rows] of each rank.
  explicit Plan(std::vector<at::Tensor> held)
      : held_{std::move(held)}, all_{at::stack(held_).any(0).nonzero().flatten()} {}

  std::size_t ranks() const { return held_.size(); }
  /// The rows that any rank holds, ascending.
  const at::Tensor& all() const { return all_; }
  at::Tensor of_rank(std::size_t rank) const { return held_[rank].nonzero().flatten(); }

  /// The rows of all() that rank `adder` sums.
  at::Tensor share(std::size_t adder) const {
    const int size = static_cast<int>(ranks());
    const int rank = static_cast<int>(adder);
    const auto begin = Group::chunk_begin(all_.numel(), rank, size);
    return all_.narrow(0, begin, Group::chunk_begin(all_.numel(), rank + 1, size) - begin);
  }

  /// The places of `holder`'s rows in the share of `adder`.
  at::Tensor places(std::size_t adder, std::size_t holder) const {
    return held_[holder].index_select(0, share(adder)).nonzero().flatten();
  }

 private:
  std::vector<at::Tensor> held_;
  at::Tensor all_;
};

Task<> RowExchange::average(at::Tensor rows, at::Tensor held, Group& group) {
  const auto own = static_cast<std::size_t>(group.rank());
  const auto own_bits = pack_signs(held.to(at::kFloat).sub_(0.5));
  const auto all_bits = co_await group.all_gather(own_bits);
  const Plan plan{unpacked(all_bits, group.size())};

  std::vector<std::int64_t> send_counts;
  std::vector<std::int64_t> receive_counts;
  std::vector<std::int64_t> share_sizes;
  std::vector<at::Tensor> places;
  for (std::size_t rank = 0; rank < plan.ranks(); ++rank) {
    places.push_back(plan.places(own, rank));
    send_counts.push_back(plan.places(rank, own).numel() * width_);
    receive_counts.push_back(places.back().numel() * width_);
    share_sizes.push_back(plan.share(rank).numel() * width_);
  }
  const auto own_places = plan.of_rank(own);
  sent_rows_ = own_places.numel() - places[own].numel();
  returned_rows_ = plan.share(own).numel() * (group.size() - 1);
  const auto own_rows = rows.index_select(0, own_places).flatten();
  const auto received = co_await group.all_to_all(own_rows, send_counts, receive_counts);

  auto sums = at::zeros({plan.share(own).numel(), width_}, rows.options());
  const auto parts = received.split_with_sizes(receive_counts);
  for (std::size_t rank = 0; rank < plan.ranks(); ++rank) {
    sums.index_add_(0, places[rank], parts[rank].view({-1, width_}));
  }
  const auto means = sums.div_(group.size()).flatten();
  const auto gathered = co_await group.all_gather_sized(means, share_sizes);
  rows.zero_().index_copy_(0, plan.all(), gathered.view({-1, width_}));
}

std::vector<PlannedCollective> RowExchange::traffic() const {
  return {{CollectiveKind::kAllGather, sign_bytes(rows_)},
          {CollectiveKind::kAllToAll, 4 * width_ * sent_rows_},
          {CollectiveKind::kAllToAll, 4 * width_ * returned_rows_}};
}

/// Unpacks each rank's bits to bool[rows].
std::vector<at::Tensor> RowExchange::unpacked(const at::Tensor& bits, int ranks) const {
  std::vector<at::Tensor> held;
  for (const auto& one : bits.chunk(ranks)) {
    auto signs = at::zeros({rows_}, bits.options().dtype(at::kFloat));
    add_signs(one, 0, 1, signs);
    held.push_back(signs > 0);
  }
  return held;
}

}  // namespace pacbench::trainer
