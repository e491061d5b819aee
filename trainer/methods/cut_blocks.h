#pragma once

#include <ATen/core/Tensor.h>

#include "trainer/methods/bucket.h"
#include "trainer/methods/sparse_code.h"

namespace pacbench::trainer {

/// A rank's values as blocks of one size. Entries of other ranks are added to a block, and its
/// largest entries are given away, always as many. The rest is remembered, so that error feedback
/// can keep it (SparDL's global residuals).
class CutBlocks {
 public:
  /// `values`: float[n], padded with zeros to `blocks` whole blocks.
  CutBlocks(const SparseCode& code, const at::Tensor& values, int blocks);

  /// Returns the block's largest entries, encoded, and sets the block to zero. Where `ranks` ranks
  /// drop the same sum, each remembers an equal part of it.
  at::Tensor take_largest(int block, int ranks = 1);

  /// Adds the entries of a payload that another rank took.
  void add(const at::Tensor& payload, int block);

  /// Ends an exchange among `ranks`: `gathered` has the last payload of each block. Sets the mean.
  /// Where the bucket keeps the rest, `own` stays at places where nothing has arrived, and is set
  /// elsewhere to what this rank dropped on the way.
  void deliver(const at::Tensor& gathered, int ranks, Bucket& bucket) const;

 private:
  SparseCode code_;
  at::Tensor sums_;     ///< float[blocks, elements]
  at::Tensor dropped_;  ///< as sums_
};

}  // namespace pacbench::trainer
