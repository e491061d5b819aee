#pragma once

#include <ATen/core/Tensor.h>

#include "trainer/methods/bucket.h"
#include "trainer/methods/sparse_code.h"

namespace pacbench::trainer {

/// A rank's values as blocks of one size that take sums of others' entries and give away their
/// largest ones. What is given away has as many entries each time; what is not is remembered, so
/// that error feedback can keep it (SparDL's global residuals).
class CutBlocks {
 public:
  /// `values`: float[n], padded with zeros to `blocks` whole blocks.
  CutBlocks(const SparseCode& code, const at::Tensor& values, int blocks);

  /// The block's largest entries, encoded; the block is zeros then. Where `ranks` of them drop the
  /// same sum, each remembers an equal part of it.
  at::Tensor take_largest(int block, int ranks = 1);

  /// Adds the entries of a payload that another rank took.
  void add(const at::Tensor& payload, int block);

  /// Ends an exchange among `ranks`: `gathered` has the last payload of each block. Sets the mean,
  /// and where the bucket keeps the rest that: all of its own where nothing has arrived, else what
  /// this rank dropped on the way.
  void deliver(const at::Tensor& gathered, int ranks, Bucket& bucket) const;

 private:
  SparseCode code_;
  at::Tensor sums_;     ///< float[blocks, elements]
  at::Tensor dropped_;  ///< as sums_
};

}  // namespace pacbench::trainer
