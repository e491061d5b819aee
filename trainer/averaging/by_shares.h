#pragma once

#include <map>
#include <memory>
#include <vector>

#include "trainer/averaging/averager.h"
#include "trainer/kernels/codes.h"
#include "trainer/kernels/kernels.h"

namespace pacbench::trainer {

/// The encoding of a share of a bucket (see ByShares), on its way to the rank that averages it, and
/// of its mean on the way back.
class ShareCode {
 public:
  virtual ~ShareCode() = default;

  /// The number of elements that are encoded together: a share is padded with zeros to a multiple
  /// of it.
  virtual std::int64_t unit() const { return 1; }
  virtual std::int64_t bytes(std::int64_t elements) const = 0;
  /// float[n] to uint8[bytes(n)]. Random choices use the stream's numbers from `first` on.
  virtual at::Tensor encode(const at::Tensor& values, const RandomKey& key,
                            std::int64_t first) const = 0;
  virtual at::Tensor decode(const at::Tensor& bytes, std::int64_t elements) const = 0;

  /// float[n]: the mean of what all ranks have sent, or what a code uses in its place, such as a
  /// vote.
  virtual at::Tensor mean(const std::vector<at::Tensor>& received, std::int64_t elements,
                          const RandomKey& key) const;

  /// The encoding of the mean, on the way back. By default it is the encoding of the values.
  virtual std::int64_t mean_bytes(std::int64_t elements) const { return bytes(elements); }
  virtual at::Tensor encode_mean(const at::Tensor& mean, const RandomKey& key) const {
    return encode(mean, key, 0);
  }
  virtual at::Tensor decode_mean(const at::Tensor& bytes, std::int64_t elements) const {
    return decode(bytes, elements);
  }
};

/// Sends the sign of each entry as one bit. A zero counts as positive.
class Signs : public ShareCode {
 public:
  std::int64_t bytes(std::int64_t elements) const override { return sign_bytes(elements); }
  at::Tensor encode(const at::Tensor& values, const RandomKey&, std::int64_t) const override {
    return pack_signs(values);
  }
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

/// Averages by shares. A bucket is cut into one share for each rank. Every rank receives its share
/// of all ranks' values by all-to-all and averages them, and an all-gather sends its mean to all.
/// So encodings can be averaged that cannot be added, at (N - 1) / N of their bytes each way (CGX,
/// Markov et al. 2022, arXiv 2111.08617, section 4).
class ByShares final : public Averager {
 public:
  /// With `mean_feedback` what encoding leaves out of a mean is added to the next mean.
  explicit ByShares(std::unique_ptr<ShareCode> code, bool mean_feedback = false)
      : code_{std::move(code)}, mean_feedback_{mean_feedback} {}

  Task<> settle(const Layout& layout, Group& group) override;
  PlannedCalls traffic(const BucketLayout& bucket, const Step&) const override;
  Task<> average(Bucket& bucket, Group& group) override;
  void visit_state(StateVisitor& visitor) override;

 private:
  std::int64_t share_of(const BucketLayout& bucket) const;

  std::unique_ptr<ShareCode> code_;
  bool mean_feedback_;
  int ranks_ = 1;
  std::map<int, at::Tensor> mean_residuals_;  ///< by bucket: float[share], of this rank's share
};

}  // namespace pacbench::trainer
