#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>

#include "trainer/averaging/state_visitor.h"

namespace pacbench::trainer {

/// Tracks which elements of a bucket's gradient can be non-zero, and when this mask is stable: the
/// Mask Tracker of PacTrain (arXiv 2505.18563, section III).
///
/// A single iteration's zeros differ between workers and by chance (a dead unit, a pixel that no
/// image of the batch uses). Ranks that decided from their own zeros would exchange different
/// sizes. So each worker proposes the union of all non-zeros that it knows of, and an OR over the
/// workers joins the proposals. Every rank keeps the joined mask, so all take the same decision.
/// The bucket is stable once `stable_after` agreed masks in a row were the same.
class MaskTracker {
 public:
  /// Tracks a bucket whose mask takes int64[words] (BucketMask::words) on `device`.
  MaskTracker(std::int64_t words, std::int64_t stable_after, c10::Device device = c10::kCPU);

  bool stable() const { return unchanged_ >= needed_; }
  /// How many agreed masks in a row were the same.
  std::int64_t unchanged() const { return unchanged_; }

  /// Joins `nonzeros`, int64[words], with the mask that the ranks agreed on last. Returns the bits
  /// of the joined mask as uint8[8 · words], for an OR over all ranks.
  at::Tensor propose(const at::Tensor& nonzeros) const;

  /// Takes the OR of all ranks' proposals.
  void agree(const at::Tensor& joined);

  /// The mask agreed on last: int64[words].
  const at::Tensor& words() const { return words_; }

  /// Must be called when some rank had a non-zero outside the mask. The next iteration is then
  /// dense and agrees on a new mask. That mask is stable at once, since any element that is still
  /// missing will be flagged as well.
  void reopen();

  void visit_state(const std::string& prefix, StateVisitor& visitor);

 private:
  std::int64_t needed_;
  std::int64_t unchanged_ = 0;
  at::Tensor words_;
};

}  // namespace pacbench::trainer
