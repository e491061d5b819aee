#include "trainer/methods/votes.h"

#include <ATen/Functions.h>

#include "trainer/kernels/kernels.h"
#include "trainer/kernels/signs.h"

namespace pacbench::trainer {

std::int64_t Votes::bytes(std::int64_t elements) const { return sign_bytes(elements); }

at::Tensor Votes::encode(const at::Tensor& values, const RandomKey&, std::int64_t) const {
  return pack_signs(values);
}

at::Tensor Votes::decode(const at::Tensor& bytes, std::int64_t elements) const {
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
  auto chance = at::empty({elements});
  fill_uniform(key, 0, elements, chance.mutable_data_ptr<float>());
  return sum.add_(chance.sub_(0.5).to(sum.device()));
}

}  // namespace pacbench::trainer
