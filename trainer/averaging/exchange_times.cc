#include "trainer/averaging/exchange_times.h"

#include <ATen/Functions.h>

#include <algorithm>
#include <limits>

#include "trainer/averaging/level_sum.h"

namespace pacbench::trainer {
namespace {

constexpr double kNotYet = std::numeric_limits<float>::max();

}  // namespace

double expected_wire_s(const std::vector<PlannedCollective>& calls, const Group& group,
                       const LinkFacts& link) {
  double total_s = 0;
  for (const auto& call : calls) {
    const auto& ranks = call.ranks;
    if (ranks.empty()) total_s += expected_wire_s(call, group.size(), link);
    if (!std::binary_search(ranks.begin(), ranks.end(), group.rank())) continue;
    total_s += expected_wire_s(call, static_cast<int>(ranks.size()), link);
  }
  return total_s;
}

ExchangeTimings::ExchangeTimings(std::size_t buckets, std::size_t ways) {
  const ExchangeTimes not_yet{kNotYet, kNotYet, kNotYet};
  buckets_.assign(buckets, {kNotYet, std::vector<ExchangeTimes>(ways, not_yet)});
}

void ExchangeTimings::take(int bucket, std::size_t way, double ready_s, const ExchangeTimes& cost) {
  auto& costs = buckets_.at(static_cast<std::size_t>(bucket));
  auto& least = costs.ways.at(way);
  costs.ready_s = std::min(costs.ready_s, ready_s);
  least.encode_s = std::min(least.encode_s, cost.encode_s);
  least.wire_s = std::min(least.wire_s, cost.wire_s);
  least.decode_s = std::min(least.decode_s, cost.decode_s);
}

std::vector<double*> ExchangeTimings::numbers() {
  std::vector<double*> all;
  for (auto& bucket : buckets_) {
    all.push_back(&bucket.ready_s);
    for (auto& way : bucket.ways) {
      all.insert(all.end(), {&way.encode_s, &way.wire_s, &way.decode_s});
    }
  }
  return all;
}

PlannedCollective ExchangeTimings::agreement() const {
  std::int64_t numbers = 0;
  for (const auto& bucket : buckets_) numbers += 1 + 3 * std::ssize(bucket.ways);
  return {CollectiveKind::kAllReduce, 4 * numbers};
}

Task<> ExchangeTimings::agree(Group& group) {
  const auto all = numbers();
  const auto seconds = at::empty({std::ssize(all)});
  auto* second = seconds.data_ptr<float>();
  for (const auto* number : all) *second++ = static_cast<float>(*number);
  co_await group.all_reduce(seconds, Reduction::kMax);
  const auto* agreed = seconds.const_data_ptr<float>();
  for (auto* number : all) *number = *agreed++;
}

}  // namespace pacbench::trainer
