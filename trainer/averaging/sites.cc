#include "trainer/averaging/sites.h"

#include <fmt/format.h>

#include <numeric>
#include <stdexcept>

namespace pacbench::trainer {

Sites::Sites(const char* method, std::int64_t count, Group& group) {
  if (group.size() < count) {
    throw std::invalid_argument{fmt::format(
        "{}: found {} workers, expected at least one for each of the {} sites; give fewer `sites`",
        method, group.size(), count)};
  }
  const int parts = static_cast<int>(count);
  for (int site = 0; site < parts; ++site) {
    const auto begin = Group::chunk_begin(group.size(), site, parts);
    const auto end = Group::chunk_begin(group.size(), site + 1, parts);
    auto& ranks = sites_.emplace_back(end - begin);
    std::iota(ranks.begin(), ranks.end(), static_cast<int>(begin));
    leaders_.push_back(ranks.front());
    if (group.rank() >= begin && group.rank() < end) own_size_ = end - begin;
  }
  for (const auto& ranks : sites_) group.sub_group(ranks);
  group.sub_group(leaders_);
}

Task<> Sites::sum_inside(at::Tensor values, Group& group) const {
  for (const auto& site : sites_) {
    auto inside = group.sub_group(site);
    co_await inside.all_reduce(values);
  }
}

Task<> Sites::sum_between(at::Tensor values, Group& group) const {
  auto between = group.sub_group(leaders_);
  co_await between.all_reduce(values);
  for (const auto& site : sites_) {
    auto inside = group.sub_group(site);
    co_await inside.broadcast(values, 0);
  }
}

}  // namespace pacbench::trainer
