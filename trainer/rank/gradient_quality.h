#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "contract/worker/worker_event.h"
#include "trainer/collectives/store.h"
#include "trainer/models/model.h"
#include "trainer/pruning/weight_masks.h"

namespace pacbench::trainer {

/// Memory into which each rank copies its own gradient, so that the exact mean is known without a
/// byte on the links. The caller makes ranks meet before they read what others wrote.
class SharedGradients {
 public:
  /// Maps a memfd that all ranks of one host share. Before the first rank maps it, it must be empty
  /// or hold only zeros. Throws std::system_error.
  SharedGradients(int fd, int rank, int ranks, std::int64_t elements);

  /// For ranks of several hosts: each has memory of its own, and the gradients reach rank 0 through
  /// `store`, on the control network. Throws std::system_error.
  SharedGradients(StorePtr store, int rank, int ranks, std::int64_t elements);
  SharedGradients(const SharedGradients&) = delete;
  SharedGradients& operator=(const SharedGradients&) = delete;
  ~SharedGradients();

  /// Copies this rank's gradients, one parameter after the other, with zeros for weights that
  /// `masks` prunes. Empty masks prune none.
  void lay(const std::vector<Parameter>& parameters, const WeightMasks& masks);

  /// Sends this rank's gradients and residual norm to rank 0. All ranks call it, and then wait for
  /// each other at a barrier. Where memory is shared, show() and collect() do nothing.
  void show();
  /// Receives what the other ranks sent by show(). Call it on rank 0, after that barrier. Throws
  /// c10::Error when the store fails.
  void collect();

  /// float[elements]: the gradients that a rank copied with lay().
  float* of(int rank) const {
    return reinterpret_cast<float*>(residual_norms() + ranks_) + rank * elements_;
  }
  int ranks() const { return ranks_; }

  /// Sets the norm of this rank's residual; `norm` is empty without error feedback.
  void set_residual_norm(std::optional<double> norm) {
    residual_norms()[rank_] = norm.value_or(std::numeric_limits<double>::quiet_NaN());
  }
  /// The mean residual norm over the ranks that have one; nothing when none has.
  std::optional<double> mean_residual_norm() const;

 private:
  /// A piece of a rank's gradient, or its residual norm, under a key of the store.
  struct Piece {
    std::string key;
    std::uint8_t* bytes;
    std::size_t count;
  };
  std::vector<Piece> pieces_of(int rank) const;

  double* residual_norms() const { return static_cast<double*>(address_); }

  StorePtr store_;  ///< none where memory is shared
  int rank_;
  int ranks_;
  std::int64_t elements_;
  std::size_t bytes_;
  void* address_;
};

/// How near an aggregated gradient came to the exact mean, as sums over elements.
struct GradientError {
  double error = 0;      ///< |aggregate - mean|^2
  double mean = 0;       ///< |mean|^2
  double aggregate = 0;  ///< |aggregate|^2
  double product = 0;    ///< aggregate · mean
  double nonzero = 0;    ///< entries of aggregate that are not zero
  double entries = 0;    ///< all entries

  GradientError& operator+=(const GradientError& other);
  double vnmse() const { return error / mean; }
  /// 0 when the aggregate is zero.
  double cosine() const { return aggregate == 0 ? 0 : product / std::sqrt(aggregate * mean); }
  double density() const { return nonzero / entries; }
};

/// Compares `count` elements of `aggregate` with the mean of `ranks`, which have as many elements.
/// Sums in double precision.
GradientError gradient_error(const float* aggregate, const std::vector<const float*>& ranks,
                             std::int64_t count);

/// Compares an iteration's aggregate, the gradients that `parameters` hold, with the mean of the
/// ranks' own gradients in `laid`. A parameter whose exact mean is zero has no relative error, so
/// the event's layers leave it out. Returns nothing when all means are zero. Throws
/// std::runtime_error when a gradient is not finite.
std::optional<QualityEvent> gradient_quality(const std::vector<Parameter>& parameters,
                                             const SharedGradients& laid, std::int64_t iteration);

}  // namespace pacbench::trainer
