#include "trainer/averaging/sparse_entries.h"

#include <ATen/Functions.h>

namespace pacbench::trainer {

SparseEntries::SparseEntries(std::int64_t elements, std::int64_t kept, bool packed)
    : code_{elements, kept, packed} {}

Task<> SparseEntries::average(at::Tensor own, at::Tensor places, bool takes_them, at::Tensor mean,
                              Group& group) const {
  const auto sent = code_.encode(own.index_select(0, places), places);
  if (takes_them) own.index_fill_(0, places, 0);

  const auto gathered = co_await group.all_gather(sent);

  mean.zero_();
  for (int rank = 0; rank < group.size(); ++rank) {
    code_.add(gathered.narrow(0, code_.words() * rank, code_.words()), mean);
  }
  mean.div_(group.size());
}

UnequalEntries::UnequalEntries(std::int64_t elements, std::vector<std::int64_t> kept, bool packed) {
  for (const auto count : kept) {
    auto& code = codes_.emplace_back();
    if (count > 0) code.emplace(elements, count, packed);
  }
}

PlannedCollective UnequalEntries::traffic(int rank) const {
  const auto& code = codes_.at(static_cast<std::size_t>(rank));
  const auto others = static_cast<std::int64_t>(codes_.size()) - 1;
  return {CollectiveKind::kAllToAll, code ? 4 * code->words() * others : 0};
}

Task<> UnequalEntries::average(at::Tensor own, at::Tensor places, bool takes_them, at::Tensor mean,
                               Group& group) const {
  std::vector<std::int64_t> sizes;
  for (const auto& code : codes_) sizes.push_back(code ? code->words() : 0);
  auto sent = at::empty({0}, own.options().dtype(at::kInt));
  const auto& own_code = codes_.at(static_cast<std::size_t>(group.rank()));
  if (own_code) sent = own_code->encode(own.index_select(0, places), places);
  if (takes_them) own.index_fill_(0, places, 0);

  const auto gathered = co_await group.all_gather_sized(sent, sizes);

  mean.zero_();
  std::int64_t offset = 0;
  for (std::size_t rank = 0; rank < codes_.size(); ++rank) {
    if (codes_[rank]) codes_[rank]->add(gathered.narrow(0, offset, sizes[rank]), mean);
    offset += sizes[rank];
  }
  mean.div_(group.size());
}

Task<std::vector<std::int64_t>> gather_counts(std::int64_t own, Group& group) {
  const auto count = at::full({1}, own, at::kLong);
  const auto counts = (co_await group.all_gather(count)).cpu();
  const auto* first = counts.const_data_ptr<std::int64_t>();
  co_return std::vector<std::int64_t>(first, first + counts.numel());
}

}  // namespace pacbench::trainer
