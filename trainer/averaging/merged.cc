#include "trainer/averaging/merged.h"

#include <ATen/Functions.h>
#include <fmt/format.h>

#include <cmath>
#include <utility>

namespace pacbench::trainer {

Task<> Merged::regroup(const Layout& layout, std::int64_t split, Group& group) {
  if (active_ != nullptr) hold_rests();
  const auto [found, is_new] = groupings_.try_emplace(split);
  active_ = &found->second;
  for (const auto& bucket : layout) held_.try_emplace(bucket.index);
  if (!is_new) co_return;
  *active_ = grouping_of(layout, split);
  co_await active_->inner->settle(active_->layout, group);
}

Merged::Grouping Merged::grouping_of(const Layout& layout, std::int64_t split) const {
  Grouping grouping{make_(), {}, {}};
  for (const auto& bucket : layout) {
    if (bucket.index == 0 || bucket.index == split) grouping.parts.emplace_back();
    auto& part = grouping.parts.back();
    part.buckets.push_back(bucket);
    part.layout.index = bucket.index;
    for (auto slice : bucket.slices) {
      slice.offset += part.layout.elements;
      part.layout.slices.push_back(std::move(slice));
    }
    part.layout.elements += bucket.elements;
  }
  for (const auto& part : grouping.parts) grouping.layout.push_back(part.layout);
  return grouping;
}

/// The part that a bucket belongs to, and the place of the bucket's first element in that part.
std::pair<Merged::Part*, std::int64_t> Merged::place_of(int bucket) const {
  auto part = active_->parts.begin();
  while (part->layout.index < bucket) ++part;
  std::int64_t offset = 0;
  for (const auto& other : part->buckets) {
    if (other.index < bucket) offset += other.elements;
  }
  return {&*part, offset};
}

void Merged::hold_rests() {
  if (!active_->inner->residual_norm()) return;
  for (auto& part : active_->parts) {
    if (!part.values.defined()) continue;
    const auto rest = at::zeros_like(part.values);
    active_->inner->hand_over_rest(part.layout, rest);
    std::int64_t offset = 0;
    for (const auto& bucket : part.buckets) {
      held_.at(bucket.index) = rest.narrow(0, offset, bucket.elements).clone();
      offset += bucket.elements;
    }
  }
}

std::vector<PlannedCollective> Merged::traffic(const BucketLayout& bucket, const Step& step) const {
  const auto& layout = place_of(bucket.index).first->layout;
  if (layout.index != bucket.index) return {};
  return active_->inner->traffic(layout, step);
}

Task<> Merged::average(Bucket& bucket, Group& group) {
  const auto number = bucket.layout.index;
  const auto place = place_of(number);
  auto& part = *place.first;
  if (place.second == 0) {
    part.values = at::empty({part.layout.elements}, bucket.own.options());
    part.averaged = Event{};
  }
  const auto own = part.values.narrow(0, place.second, bucket.layout.elements);
  own.copy_(bucket.own);
  if (auto& held = held_.at(number); held.defined()) own.add_(std::exchange(held, {}));
  if (number == part.layout.index) {
    co_await average_part(part, bucket, group);
  } else {
    group.notes()["averaged_with"] = part.layout.index;
    group.calls_nothing_more();
    co_await group.until(part.averaged);
  }
  bucket.mean.copy_(own);
}

Task<> Merged::average_part(Part& part, Bucket& bucket, Group& group) {
  Bucket all{part.layout, part.values, part.values, false, bucket.random, bucket.step};
  std::exception_ptr failure;
  try {
    co_await active_->inner->average(all, group);
  } catch (...) {
    failure = std::current_exception();
  }
  group.announce(part.averaged, failure);
  if (failure) std::rethrow_exception(failure);
}

void Merged::visit_state(StateVisitor& visitor) {
  for (auto& [split, grouping] : groupings_) {
    PrefixedVisitor own{fmt::format("split{}/", split), visitor};
    grouping.inner->visit_state(own);
  }
  for (auto& [bucket, held] : held_) visitor.tensor(fmt::format("bucket{}/held", bucket), held);
}

std::optional<double> Merged::residual_norm() const {
  const auto norm = (active_ == nullptr ? *example_ : *active_->inner).residual_norm();
  if (!norm) return norm;
  double squares = *norm * *norm;
  for (const auto& [bucket, held] : held_) {
    if (held.defined()) squares += held.square().sum().item<double>();
  }
  return std::sqrt(squares);
}

}  // namespace pacbench::trainer
