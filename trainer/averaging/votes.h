#pragma once

#include "trainer/averaging/by_shares.h"
#include "trainer/kernels/kernels.h"

namespace pacbench::trainer {

/// Sends the sign of each entry as one bit. A zero counts as positive.
class Signs : public ShareCode {
 public:
  std::int64_t bytes(std::int64_t elements) const override;
  at::Tensor encode(const at::Tensor& values, const RandomKey&, std::int64_t) const override;
  at::Tensor decode(const at::Tensor& bytes, std::int64_t elements) const override;
};

/// Sends signs, and returns, in place of their mean, the sign that most workers have. An even
/// number of workers can tie; then chance decides.
class Votes final : public Signs {
 public:
  at::Tensor mean(const std::vector<at::Tensor>& received, std::int64_t elements,
                  const RandomKey& key) const override;
};

/// Sends signs, and returns the mean sign. It travels as the number of ranks whose sign is
/// positive, in lanes of bits_for(ranks) bits.
class CountedVotes final : public Signs {
 public:
  explicit CountedVotes(int ranks) : ranks_{ranks}, lanes_{LaneLayout::of(bits_for(ranks))} {}

  std::int64_t mean_bytes(std::int64_t elements) const override { return lanes_.bytes(elements); }
  at::Tensor encode_mean(const at::Tensor& mean, const RandomKey&) const override;
  at::Tensor decode_mean(const at::Tensor& bytes, std::int64_t elements) const override;

 private:
  int ranks_;
  LaneLayout lanes_;
};

}  // namespace pacbench::trainer
