#pragma once

#include <ATen/core/Tensor.h>

#include "trainer/averaging/bucket.h"
#include "trainer/encoding/sparse_code.h"

namespace pacbench::trainer {

/// A rank's values, cut into blocks of one size. take_largest() returns the largest entries of a
/// block, always the same number of them, and sets the block to zero; add() adds entries that this
/// or another rank took. The entries that take_largest() does not return are dropped from the
/// exchange and remembered, so that error feedback can keep them (SparDL's global residuals).
class CutBlocks {
 public:
  /// `values`: float[n], padded with zeros to `blocks` whole blocks.
  CutBlocks(const SparseCode& code, const at::Tensor& values, int blocks);

  /// Returns the block's largest entries, encoded, and sets the block to zero. `ranks`: how many
  /// ranks drop the same other entries; each remembers an equal part of them.
  at::Tensor take_largest(int block, int ranks = 1);

  /// Adds the entries of a payload that this or another rank took.
  void add(const at::Tensor& payload, int block);

  /// Ends an exchange among `ranks` ranks: `gathered` has the last payload of each block. Sets the
  /// mean. Where bucket.keeps_rest is set, `own` keeps its values at places where nothing has
  /// arrived. At all other places it becomes what this rank dropped on the way.
  void deliver(const at::Tensor& gathered, int ranks, Bucket& bucket) const;

 private:
  SparseCode code_;
  at::Tensor sums_;     ///< float[blocks, elements]
  at::Tensor dropped_;  ///< as sums_
};

}  // namespace pacbench::trainer
