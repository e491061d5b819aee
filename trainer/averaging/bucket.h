#pragma once

#include <ATen/core/Tensor.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "trainer/kernels/philox.h"

namespace pacbench::trainer {

/// One parameter's place in a bucket. `parameter` is its number in the model, which stays the same
/// when Reducer rebuilds its buckets.
struct ParameterSlice {
  int parameter = 0;
  std::string name;
  std::vector<std::int64_t> shape;
  std::int64_t offset = 0;  ///< of its first element in the bucket
  std::int64_t elements = 0;
  at::Tensor mask;  ///< bool[elements], true where kept; undefined when the parameter is unpruned
  bool embedding = false;  ///< whether its first dimension counts rows that a batch looks up
  bool prunable = false;   ///< the weight of a convolution or a linear layer, attention's included
};

struct BucketLayout {
  int index = 0;
  std::int64_t elements = 0;
  std::vector<ParameterSlice> slices;
};

using Layout = std::vector<BucketLayout>;

/// The iteration that is under way, as the training loop knows it.
struct Step {
  std::int64_t number = 0;  ///< from 1
  double lr = 0;
  double previous_lr = 0;  ///< of the step before; equals `lr` in the first step
};

/// A rank's values in the layout of a bucket, and what becomes of them in one iteration. The values
/// are a gradient, or whatever else a method averages (a momentum, a rotated gradient).
struct Bucket {
  const BucketLayout& layout;
  /// float[elements] of this rank. The averager may overwrite it.
  at::Tensor own;
  /// float[elements]: the mean over all ranks, once that is known. It is the same memory as `own`
  /// unless keeps_rest is set; then the averager may use `mean` as scratch memory until it writes
  /// the mean.
  at::Tensor mean;
  /// Whether the averager must leave the residual in `own`: the part of this rank's values that the
  /// exchange left out (Feedback).
  bool keeps_rest = false;
  RandomKey random = {};  ///< stream of this rank and iteration; whoever draws sets `parameter`
  Step step = {};

  /// This rank's stream for the bucket as a whole.
  RandomKey own_random() const {
    auto key = random;
    key.parameter = layout.index;
    return key;
  }

  /// The bucket's stream that is the same on all ranks; other buckets have other streams.
  RandomKey shared_random() const {
    auto key = own_random();
    key.rank = RandomKey::kShared;
    return key;
  }

  /// The part of `values`, a tensor in the bucket's layout, that belongs to one parameter: flat.
  static at::Tensor part(const at::Tensor& values, const ParameterSlice& slice) {
    return values.narrow(0, slice.offset, slice.elements);
  }
};

/// The share `ratio` of `elements` elements, as the nearest whole number, and at least one.
inline std::int64_t kept_of(double ratio, std::int64_t elements) {
  return std::clamp<std::int64_t>(std::llround(ratio * static_cast<double>(elements)), 1, elements);
}

}  // namespace pacbench::trainer
