#include "trainer/averaging/by_shares.h"

#include <ATen/Functions.h>
#include <fmt/format.h>

#include <algorithm>

namespace pacbench::trainer {

at::Tensor ShareCode::mean(const std::vector<at::Tensor>& received, std::int64_t elements,
                           const RandomKey&) const {
  auto mean = at::zeros({elements}, received.front().options().dtype(at::kFloat));
  for (const auto& theirs : received) mean.add_(decode(theirs, elements));
  return mean.div_(std::ssize(received));
}

Task<> ByShares::settle(const Layout& layout, Group& group) {
  ranks_ = group.size();
  if (!mean_feedback_) co_return;
  for (const auto& bucket : layout) {
    auto& residual = mean_residuals_[bucket.index];
    if (!residual.defined()) residual = at::zeros({share_of(bucket)}, group.device());
  }
}

std::vector<PlannedCollective> ByShares::traffic(const BucketLayout& bucket, const Step&) const {
  const auto share = share_of(bucket);
  return {{CollectiveKind::kAllToAll, code_->bytes(share) * (ranks_ - 1)},
          {CollectiveKind::kAllGather, code_->mean_bytes(share)}};
}

Task<> ByShares::average(Bucket& bucket, Group& group) {
  require_finite(bucket, group);
  const auto elements = bucket.layout.elements;
  const auto share = share_of(bucket.layout);
  auto padded = at::zeros({share * ranks_}, bucket.own.options());
  padded.narrow(0, 0, elements).copy_(bucket.own);
  const auto key = bucket.own_random();
  std::vector<at::Tensor> encoded;
  for (const auto& values : padded.chunk(ranks_)) {
    encoded.push_back(code_->encode(values, key, std::ssize(encoded) * share));
    if (bucket.keeps_rest) values.sub_(code_->decode(encoded.back(), share));
  }
  if (bucket.keeps_rest) bucket.own.copy_(padded.narrow(0, 0, elements));
  const std::vector<std::int64_t> counts(encoded.size(), code_->bytes(share));
  const auto sent = at::cat(encoded);

  const auto received = co_await group.all_to_all(sent, counts, counts);

  auto other_key = key;
  other_key.use = RandomUse::kSelection;  // other numbers than those that rounded the values
  auto mean = code_->mean(received.chunk(ranks_), share, other_key);
  // A code of signs decodes the zeros behind the last element as non-zeros, which feedback would
  // add up.
  const auto own_elements = std::clamp<std::int64_t>(elements - group.rank() * share, 0, share);
  mean.narrow(0, own_elements, share - own_elements).zero_();
  if (mean_feedback_) mean.add_(mean_residuals_.at(bucket.layout.index));
  const auto own_mean = code_->encode_mean(mean, other_key);
  if (mean_feedback_) {
    mean_residuals_.at(bucket.layout.index).copy_(mean.sub_(code_->decode_mean(own_mean, share)));
  }
  const auto all = co_await group.all_gather(own_mean);

  std::int64_t begin = 0;
  for (const auto& theirs : all.chunk(ranks_)) {
    const auto count = std::min(share, elements - begin);
    if (count <= 0) break;
    bucket.mean.narrow(0, begin, count)
        .copy_(code_->decode_mean(theirs, share).narrow(0, 0, count));
    begin += count;
  }
}

std::int64_t ByShares::share_of(const BucketLayout& bucket) const {
  const auto unit = code_->unit();
  const auto units = (bucket.elements + unit - 1) / unit;
  return (units + ranks_ - 1) / ranks_ * unit;
}

void ByShares::visit_state(StateVisitor& visitor) {
  for (auto& [index, residual] : mean_residuals_) {
    visitor.tensor(fmt::format("bucket{}/mean_residual", index), residual);
  }
}

}  // namespace pacbench::trainer
