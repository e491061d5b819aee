#include "trainer/averaging/row_exchange.h"

#include <ATen/Functions.h>

#include "trainer/kernels/codes.h"

namespace pacbench::trainer {
namespace {

/// The places in `share`, some rows, of those that a rank holds: `held` is bool[rows].
at::Tensor places_in(const at::Tensor& share, const at::Tensor& held) {
  return held.index_select(0, share).nonzero().flatten();
}

}  // namespace

Task<> RowExchange::average(at::Tensor rows, at::Tensor held, Group& group) {
  const auto own = static_cast<std::size_t>(group.rank());
  const auto own_bits = pack_signs(held.to(at::kFloat).sub_(0.5));
  const auto all_bits = co_await group.all_gather(own_bits);
  std::vector<at::Tensor> held_by;  // bool[rows] of each rank
  for (const auto& bits : all_bits.chunk(group.size())) {
    auto signs = at::zeros({rows_}, bits.options().dtype(at::kFloat));
    add_signs(bits, 0, 1, signs);
    held_by.push_back(signs > 0);
  }
  // The rows that any rank holds, ascending, and the share of them that each rank sums.
  const auto all = at::stack(held_by).any(0).nonzero().flatten();
  std::vector<at::Tensor> shares;
  for (int rank = 0; rank < group.size(); ++rank) {
    const auto begin = Group::chunk_begin(all.numel(), rank, group.size());
    const auto end = Group::chunk_begin(all.numel(), rank + 1, group.size());
    shares.push_back(all.narrow(0, begin, end - begin));
  }

  std::vector<std::int64_t> send_counts;
  std::vector<std::int64_t> receive_counts;
  std::vector<std::int64_t> share_sizes;
  std::vector<at::Tensor> places;
  for (std::size_t rank = 0; rank < shares.size(); ++rank) {
    places.push_back(places_in(shares[own], held_by[rank]));
    send_counts.push_back(places_in(shares[rank], held_by[own]).numel() * width_);
    receive_counts.push_back(places.back().numel() * width_);
    share_sizes.push_back(shares[rank].numel() * width_);
  }
  const auto own_places = held_by[own].nonzero().flatten();
  sent_rows_ = own_places.numel() - places[own].numel();
  returned_rows_ = shares[own].numel() * (group.size() - 1);
  const auto own_rows = rows.index_select(0, own_places).flatten();
  const auto received = co_await group.all_to_all(own_rows, send_counts, receive_counts);

  auto sums = at::zeros({shares[own].numel(), width_}, rows.options());
  const auto parts = received.split_with_sizes(receive_counts);
  for (std::size_t rank = 0; rank < shares.size(); ++rank) {
    sums.index_add_(0, places[rank], parts[rank].view({-1, width_}));
  }
  const auto means = sums.div_(group.size()).flatten();
  const auto gathered = co_await group.all_gather_sized(means, share_sizes);
  rows.zero_().index_copy_(0, all, gathered.view({-1, width_}));
}

PlannedCalls RowExchange::traffic() const {
  return {{CollectiveKind::kAllGather, sign_bytes(rows_)},
          {CollectiveKind::kAllToAll, 4 * width_ * sent_rows_},
          {CollectiveKind::kAllToAll, 4 * width_ * returned_rows_}};
}

}  // namespace pacbench::trainer
