#include "trainer/methods/votes.h"

#include <ATen/Functions.h>

#include "trainer/kernels/signs.h"
#include "trainer/methods/random_draws.h"

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

/// Negative where most votes are.
at::Tensor Votes::mean(const std::vector<at::Tensor>& received, std::int64_t elements,
                       const RandomKey& key) const {
  auto sum = at::zeros({elements}, received.front().options().dtype(at::kFloat));
  for (const auto& votes : received) add_signs(votes, 0, 1, sum);
  // Less than a vote: it decides ties, and nothing else.
  return sum.add_(random_uniform(key, 0, elements, sum.device()).sub_(0.5));
}

}  // namespace pacbench::trainer
