#pragma once

#include <cstdint>
#include <vector>

#include "base/json/json_reader.h"

namespace pacbench {

/// The tuning chooses options and learning rates before anything is measured. It trains without
/// links (programs of the user's own over the first link), with seeds that the measured runs do not
/// use, and judges each setting and rate on samples held out of the training set. Every method
/// trains equally often: a method that names fewer settings trains each setting with more seeds.
struct Tune {
  std::vector<double> learning_rates;  ///< ascending, at least three
  std::vector<std::int64_t> seeds;     ///< for the methods with the most settings
  std::int64_t validation_samples = 0;
  std::int64_t max_iterations = 0;  ///< of each training; 0 of programs, which know their own
  std::int64_t evaluate_every = 0;
  /// Settings whose final accuracy is at most `within` below the method's best count as equally
  /// good. Of these, the one that reaches best - `within` with the fewest bytes is chosen. Where
  /// targets are losses, `within` is a share of the lowest final loss.
  double within = 0.005;
};

/// Reads the "tune" of a scenario. `max_iterations` and `evaluate_every` are those of the
/// scenario's workload: the defaults of the keys of the same names; 0 where programs run alone.
Tune read_tune(ObjectReader reader, std::int64_t max_iterations, std::int64_t evaluate_every);

Json to_json(const Tune& tune);

/// The JSON Schema of "tune".
Json tune_schema();

}  // namespace pacbench
