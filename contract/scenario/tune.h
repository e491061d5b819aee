#pragma once

#include <cstdint>
#include <vector>

#include "base/json_reader.h"

namespace pacbench {

/// How options and learning rates are chosen before anything is measured: by training alone, on
/// samples and with seeds that the measured runs do not use. Every method trains equally often:
/// one that names fewer settings than another has more seeds for each.
struct Tune {
  std::vector<double> learning_rates;  ///< ascending, at least three
  std::vector<std::int64_t> seeds;     ///< for the methods with the most settings
  std::int64_t validation_samples = 0;
  std::int64_t max_iterations = 0;  ///< of each training
  std::int64_t evaluate_every = 0;
  /// Settings whose final accuracy is within this of the method's best are as good: among them the
  /// one that sends the fewest bytes until it is there is taken. Of a loss: this share of it.
  double within = 0.005;
};

/// Reads the "tune" of a scenario. What it leaves open is as in the scenario's workload, whose
/// iterations are given.
Tune read_tune(ObjectReader reader, std::int64_t max_iterations, std::int64_t evaluate_every);

Json to_json(const Tune& tune);

/// Its JSON Schema.
Json tune_schema();

}  // namespace pacbench
