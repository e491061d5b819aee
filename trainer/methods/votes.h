#pragma once

#include "trainer/methods/by_shares.h"

namespace pacbench::trainer {

/// The sign of each entry, a bit, and as the mean the sign that most workers have. An even number
/// of workers can tie: chance decides then. A zero counts as positive.
class Votes final : public ShareCode {
 public:
  std::int64_t bytes(std::int64_t elements) const override;
  at::Tensor encode(const at::Tensor& values, const RandomKey&, std::int64_t) const override;
  at::Tensor decode(const at::Tensor& bytes, std::int64_t elements) const override;
  at::Tensor mean(const std::vector<at::Tensor>& received, std::int64_t elements,
                  const RandomKey& key) const override;
};

}  // namespace pacbench::trainer
