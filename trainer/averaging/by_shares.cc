#include "trainer/averaging/by_shares.h"

#include <ATen/Functions.h>
#include <fmt/format.h>

#include <algorithm>

#include "trainer/encoding/random_draws.h"
#include "trainer/kernels/codes.h"

namespace pacbench::trainer {

at::Tensor ShareCode::mean(const std::vector<at::Tensor>& received, std::int64_t elements,
                           const RandomKey&) const {
  auto mean = at::zeros({elements}, received.front().options().dtype(at::kFloat));
  for (const auto& theirs : received) mean.add_(decode(theirs, elements));
  return mean.div_(std::ssize(received));
}

at::Tensor Signs::decode(const at::Tensor& bytes, std::int64_t elements) const {
  auto values = at::zeros({elements}, bytes.options().dtype(at::kFloat));
  add_signs(bytes, 0, 1, values);
  return values;
}

/// Returns, for each entry, a value that is negative where most votes are negative.
at::Tensor Votes::mean(const std::vector<at::Tensor>& received, std::int64_t elements,
                       const RandomKey& key) const {
  auto sum = at::zeros({elements}, received.front().options().dtype(at::kFloat));
  for (const auto& votes : received) add_signs(votes, 0, 1, sum);
  // The random number is less than a vote: it decides ties, and nothing else.
  return sum.add_(random_uniform(key, 0, elements, sum.device()).sub_(0.5));
}

at::Tensor CountedVotes::encode_mean(const at::Tensor& mean, const RandomKey&) const {
  const auto positive = mean.add(1).mul_(static_cast<float>(ranks_) / 2).round_();
  const auto type = lanes_.word_bytes == 1 ? at::kByte : at::kLong;
  auto words = at::empty({lanes_.words(mean.numel())}, mean.options().dtype(type));
  pack_totals(positive.to(at::kShort), lanes_, words);  // int8 cannot hold a count of 128 ranks
  return words.view(at::kByte);
}

at::Tensor CountedVotes::decode_mean(const at::Tensor& bytes, std::int64_t elements) const {
  auto positive = at::zeros({elements}, bytes.options().dtype(at::kShort));
  add_lanes(lanes_.word_bytes == 1 ? bytes : bytes.clone().view(at::kLong), lanes_, positive);
  return positive.to(at::kFloat).mul_(2.0F / static_cast<float>(ranks_)).sub_(1);
}

Task<> ByShares::settle(const Layout& layout, Group& group) {
  ranks_ = group.size();
  if (!mean_feedback_) co_return;
  for (const auto& bucket : layout) {
    auto& residual = mean_residuals_[bucket.index];
    if (!residual.defined()) residual = at::zeros({share_of(bucket)}, group.device());
  }
}

PlannedCalls ByShares::traffic(const BucketLayout& bucket, const Step&) const {
  const auto share = share_of(bucket);
  return {{CollectiveKind::kAllToAll, code_->bytes(share) * (ranks_ - 1)},
          {CollectiveKind::kAllGather, code_->mean_bytes(share)}};
}

Task<> ByShares::average(Bucket& bucket, Group& group) {
  require_finite(bucket, group);
  const auto elements = bucket.layout.elements;
  const auto share = share_of(bucket.layout);
  const auto padded = at::constant_pad_nd(bucket.own, {0, share * ranks_ - elements});
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
