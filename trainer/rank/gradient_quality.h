#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "contract/worker/worker_event.h"
#include "trainer/rank/shared_gradients.h"

namespace pacbench::trainer {

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
  double cosine() const;  ///< 0 when the aggregate is zero
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
