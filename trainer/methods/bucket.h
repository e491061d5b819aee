#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <vector>

#include "trainer/kernels/philox.h"

namespace pacbench::trainer {

/// One parameter's place in a bucket. `parameter` is its number in the model and the key for a
/// method's state: bucket numbers change once, when Reducer rebuilds its buckets.
struct ParameterSlice {
  int parameter = 0;
  std::string name;
  std::vector<std::int64_t> shape;
  std::int64_t offset = 0;  ///< of its first element in the bucket
  std::int64_t elements = 0;
  at::Tensor mask;  ///< bool[elements], true where kept; undefined when the parameter is unpruned
};

struct BucketLayout {
  int index = 0;
  std::int64_t elements = 0;
  std::vector<ParameterSlice> slices;

  /// bool[elements]: true where no mask prunes; undefined when nothing in the bucket is pruned.
  at::Tensor mask() const;
};

using Layout = std::vector<BucketLayout>;

/// One bucket's gradient in one iteration: what a method turns into the mean, in place.
class Bucket {
 public:
  Bucket(const BucketLayout& layout, at::Tensor gradient, RandomKey random)
      : layout_{&layout}, gradient_{std::move(gradient)}, random_{random} {}

  const BucketLayout& layout() const { return *layout_; }
  /// The stream of random numbers of this rank and iteration; a method sets `parameter`.
  const RandomKey& random() const { return random_; }

  /// float[elements]: this rank's gradient before the exchange, the mean of all ranks after it.
  at::Tensor& gradient() { return gradient_; }

  /// The part of the gradient that belongs to one parameter, flat.
  at::Tensor part(const ParameterSlice& slice) const {
    return gradient_.narrow(0, slice.offset, slice.elements);
  }

 private:
  const BucketLayout* layout_;
  at::Tensor gradient_;
  RandomKey random_;
};

}  // namespace pacbench::trainer
