#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "trainer/models/model.h"
#include "trainer/pruning/weight_masks.h"

namespace pacbench::trainer {

/// Memory that all ranks of a host map, in which each lays its own gradient: how the exact mean is
/// known without a byte on the links. Ranks meet elsewhere, before they read what others wrote.
class SharedGradients {
 public:
  /// Maps a memfd of all ranks, empty or zeroed. Throws std::system_error.
  SharedGradients(int fd, int rank, int ranks, std::int64_t elements);
  SharedGradients(const SharedGradients&) = delete;
  SharedGradients& operator=(const SharedGradients&) = delete;
  ~SharedGradients();

  /// Copies this rank's gradients, one parameter after the other; those of weights that `masks`
  /// prunes count as zero (empty: none is pruned).
  void lay(const std::vector<Parameter>& parameters, const WeightMasks& masks);

  /// float[elements]: what a rank laid.
  const float* of(int rank) const;
  int ranks() const { return ranks_; }

  /// Sets the norm of this rank's residual; absent without error feedback.
  void set_residual_norm(std::optional<double> norm);
  /// The mean over ranks, of those that have one.
  std::optional<double> mean_residual_norm() const;

 private:
  double* residual_norms() const { return static_cast<double*>(address_); }
  float* gradient(int rank) const;

  int rank_;
  int ranks_;
  std::int64_t elements_;
  std::size_t bytes_;
  void* address_;
};

}  // namespace pacbench::trainer
