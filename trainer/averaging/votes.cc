#include "trainer/averaging/votes.h"

#include <ATen/Functions.h>

#include "trainer/encoding/random_draws.h"
#include "trainer/kernels/signs.h"

namespace pacbench::trainer {

std::int64_t Signs::bytes(std::int64_t elements) const { return sign_bytes(elements); }

at::Tensor Signs::encode(const at::Tensor& values, const RandomKey&, std::int64_t) const {
  return pack_signs(values);
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

}  // namespace pacbench::trainer
