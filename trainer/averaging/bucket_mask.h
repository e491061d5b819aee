#pragma once

#include <cstdint>
#include <vector>

#include "trainer/averaging/bucket.h"
#include "trainer/kernels/kernels.h"

namespace pacbench::trainer {

/// The kept elements of a bucket, parameter by parameter: which elements are kept, and where each
/// parameter's kept elements lie in the compacted vector.
class BucketMask {
 public:
  /// One parameter's part of the mask.
  struct Part {
    int parameter = 0;
    std::int64_t offset = 0;  ///< of the parameter in the bucket
    KeptBits bits;
    std::int64_t begin = 0;     ///< of its kept elements in the compacted vector
    std::int64_t possible = 0;  ///< how many gradients may be non-zero, kept or not

    at::Tensor of_bucket(const at::Tensor& flat) const {
      return flat.narrow(0, offset, bits.elements);
    }
    at::Tensor of_compacted(const at::Tensor& values) const {
      return values.narrow(0, begin, bits.kept);
    }
  };

  /// Makes the mask of a bucket without parameters.
  BucketMask() = default;
  /// Keeps everything; the mask's bits are on `device`.
  static BucketMask everything(const BucketLayout& bucket, c10::Device device);
  /// Keeps what the weights' masks keep, and all of a parameter that has none.
  static BucketMask of_weights(const BucketLayout& bucket, c10::Device device);
  /// Keeps the elements of float[elements] that are not zero.
  static BucketMask of_nonzeros(const BucketLayout& bucket, const at::Tensor& gradient);
  /// Keeps the elements whose bits are set in `words` (as words() returns them). `possible` must
  /// keep all of these elements.
  static BucketMask of_words(const BucketLayout& bucket, const at::Tensor& words,
                             const BucketMask& possible);

  std::int64_t kept() const { return kept_; }
  const std::vector<Part>& parts() const { return parts_; }

  /// int64[word_count]: the bits of all parameters; each parameter begins a new word (KeptBits).
  at::Tensor words() const;
  static std::int64_t word_count(const BucketLayout& bucket);

  /// Copies the kept elements of float[elements] to the first kept() elements of `out`.
  void compact(const at::Tensor& gradient, const at::Tensor& out) const;
  /// Copies the first kept() elements of `values` to the kept places of float[elements]; other
  /// places become zero.
  void scatter(const at::Tensor& values, const at::Tensor& gradient) const;
  void zero_outside(const at::Tensor& gradient) const;
  bool any_outside(const at::Tensor& gradient) const;

 private:
  void add(const ParameterSlice& slice, KeptBits bits);

  std::vector<Part> parts_;
  std::int64_t kept_ = 0;
};

}  // namespace pacbench::trainer
