#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "trainer/models/model.h"
#include "trainer/training/optimizer.h"

namespace pacbench::trainer {

/// Which weights are kept: a mask for each prunable parameter of a model, none for the others
/// (biases, batch norm). Masks are explicit: a weight may be zero and yet not be pruned.
class WeightMasks {
 public:
  /// The default constructor makes empty masks, for a model that is not pruned. The constructor
  /// from parameters makes masks that keep every weight.
  WeightMasks() = default;
  explicit WeightMasks(const std::vector<Parameter>& parameters);

  bool empty() const { return masks_.empty(); }
  std::size_t size() const { return masks_.size(); }

  /// Bool, of the parameter's shape, contiguous on the CPU; true: kept. Undefined when the
  /// parameter is not prunable. Parameters are counted as `parameters_of` does.
  const at::Tensor& mask(std::size_t parameter) const { return masks_[parameter]; }

  /// Replaces the mask of a prunable parameter; throws std::logic_error for another shape or type,
  /// or for a parameter that is not prunable.
  void set_mask(std::size_t parameter, const at::Tensor& mask);

  /// All masks as bits, eight in a byte, lowest first: what rank 0 sends to the others.
  at::Tensor pack() const;

  /// Reads the masks from packed bits. Throws std::invalid_argument when `bits` is not uint8 or has
  /// not as many bytes as pack() returns.
  void unpack(const at::Tensor& bits);

  /// Zeroes pruned weights and what the optimiser remembers of them, such as momentum. `optimizer`
  /// holds the model's parameters in order.
  void apply(WeightOptimizer& optimizer) const;

  std::int64_t prunable() const;
  std::int64_t kept() const;
  /// Kept weights as a fraction of the prunable ones; 1 when there are none.
  double kept_fraction() const;

  /// The name of the first parameter in which a pruned weight is not zero; none when all pruned
  /// weights are zero.
  std::optional<std::string> first_violation(const std::vector<Parameter>& parameters) const;

 private:
  std::vector<at::Tensor> masks_;
};

/// The masks of 4096 prunable weights, drawn with replacement, or of all prunable weights where
/// these are at most 4096: one bit for each weight (1: kept), lowest first, as hexadecimal digits.
/// Which weights are sampled depends only on how many are prunable, so that samples of any two
/// cells of a model may be compared (contract/result/mask_overlap.h).
std::string mask_sample(const WeightMasks& masks);

}  // namespace pacbench::trainer
