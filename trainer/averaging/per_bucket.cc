#include "trainer/averaging/per_bucket.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace pacbench::trainer {

Task<> PerBucket::settle(const Layout& layout, Group& group) {
  for (const auto& bucket : layout) last_.try_emplace(bucket.index, 0);
  for (auto& averager : averagers_) co_await averager->settle(layout, group);
}

Averager::Declares PerBucket::declares() const {
  const bool after = std::any_of(averagers_.begin(), averagers_.end(), [](const auto& averager) {
    return averager->declares() == Declares::kAfter;
  });
  return after ? Declares::kAfter : Declares::kBefore;
}

/// Where declarations are asked for after the exchange, an averager that declares before may
/// already be in the state of the next exchange. So its earlier declaration is kept.
std::vector<PlannedCollective> PerBucket::traffic(const BucketLayout& bucket,
                                                  const Step& step) const {
  const auto& averager = of(bucket, step);
  const bool kept = declares() == Declares::kAfter && averager.declares() == Declares::kBefore;
  return kept ? declared_.at(bucket.index) : averager.traffic(bucket, step);
}

Task<> PerBucket::average(Bucket& bucket, Group& group) {
  const auto& layout = bucket.layout;
  const auto chosen = static_cast<std::int64_t>(plan_(layout, bucket.step));
  auto& averager = of(layout, bucket.step);
  auto& last = last_.at(layout.index);
  if (last != chosen)
    averagers_.at(static_cast<std::size_t>(last))->hand_over_rest(layout, bucket.own);
  last = chosen;
  if (declares() == Declares::kAfter && averager.declares() == Declares::kBefore) {
    declared_[layout.index] = averager.traffic(layout, bucket.step);
  }
  co_await averager.average(bucket, group);
}

Task<> PerBucket::finish_iteration(Group& group) {
  for (auto& averager : averagers_) co_await averager->finish_iteration(group);
}

std::vector<PlannedCollective> PerBucket::finish_traffic() const {
  std::vector<PlannedCollective> all;
  for (const auto& averager : averagers_) {
    const auto calls = averager->finish_traffic();
    all.insert(all.end(), calls.begin(), calls.end());
  }
  return all;
}

void PerBucket::hand_over_rest(const BucketLayout& bucket, at::Tensor values) {
  averagers_.at(static_cast<std::size_t>(last_.at(bucket.index)))->hand_over_rest(bucket, values);
}

Recording PerBucket::recording() const {
  Recording all;
  for (const auto& averager : averagers_) {
    const auto one = averager->recording();
    all.ranks_are_alike = all.ranks_are_alike && one.ranks_are_alike;
    all.iterations_to_settle = std::max(all.iterations_to_settle, one.iterations_to_settle);
  }
  return all;
}

void PerBucket::visit_state(StateVisitor& visitor) {
  for (std::size_t number = 0; number < averagers_.size(); ++number) {
    PrefixedVisitor own{fmt::format("averager{}/", number), visitor};
    averagers_[number]->visit_state(own);
  }
  for (auto& [bucket, last] : last_) visitor.number(fmt::format("bucket{}/averager", bucket), last);
}

/// Each bucket has its residual in one of the averagers only, so that the squares can be added.
std::optional<double> PerBucket::residual_norm() const {
  std::optional<double> squares;
  for (const auto& averager : averagers_) {
    const auto norm = averager->residual_norm();
    if (norm) squares = squares.value_or(0) + *norm * *norm;
  }
  return squares ? std::optional<double>{std::sqrt(*squares)} : std::nullopt;
}

}  // namespace pacbench::trainer
