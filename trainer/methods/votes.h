#pragma once

#include "trainer/kernels/kernels.h"
#include "trainer/methods/by_shares.h"

namespace pacbench::trainer {

/// The sign of each entry, a bit. A zero counts as positive.
class Signs : public ShareCode {
 public:
  std::int64_t bytes(std::int64_t elements) const override;
  at::Tensor encode(const at::Tensor& values, const RandomKey&, std::int64_t) const override;
  at::Tensor decode(const at::Tensor& bytes, std::int64_t elements) const override;
};

/// Signs, and as their mean the sign that most workers have. An even number of workers can tie:
/// chance decides then.
class Votes final : public Signs {
 public:
  at::Tensor mean(const std::vector<at::Tensor>& received, std::int64_t elements,
                  const RandomKey& key) const override;
};

/// Sends signs, and returns the mean sign: how many ranks' signs are positive, in lanes of
/// bits_for(ranks) bits.
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
