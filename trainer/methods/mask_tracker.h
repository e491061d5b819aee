#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace pacbench {

/// Knows which elements of a bucket's gradient can be non-zero, and when that is settled: the Mask
/// Tracker of PacTrain (arXiv 2505.18563, section III).
///
/// A single iteration's zeros differ between workers and by chance (a dead unit, a pixel that no
/// image of the batch uses), and ranks that decided from their own would exchange different sizes.
/// So each worker proposes the union of all it has seen, the proposals are joined by OR over the
/// workers, and every rank feeds the joined mask back: all take the same decision. The bucket is
/// stable once `stable_after` agreed masks in a row were the same.
class MaskTracker {
 public:
  MaskTracker(std::int64_t elements, std::int64_t stable_after);

  bool stable() const { return stable_; }

  /// What this rank proposes after seeing `gradient`: packed bits for an OR over all ranks.
  at::Tensor propose(const at::Tensor& gradient) const;

  /// The OR of all ranks' proposals.
  void agree(const at::Tensor& packed);

  /// Some rank had a non-zero outside the mask: the next iteration is dense and agrees anew; what
  /// it agrees on is stable at once, since anything that is still missing will be flagged as well.
  void reopen();

  /// int64[kept], ascending: where the agreed mask is set.
  const at::Tensor& kept() const { return kept_; }
  std::int64_t kept_count() const { return kept_.numel(); }

 private:
  std::int64_t elements_;
  std::int64_t stable_after_;
  std::int64_t unchanged_ = 0;
  bool stable_ = false;
  at::Tensor packed_;  ///< the last agreed mask
  at::Tensor kept_;
};

}  // namespace pacbench
