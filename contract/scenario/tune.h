#pragma once

#include <cstdint>
#include <vector>

#include "base/json/checked_keys.h"

namespace pacbench {

/// The tuning chooses options and learning rates before anything is measured. It trains without
/// links (programs of the user's own over the first link), with seeds that the measured runs do not
/// use, and judges each setting and rate on samples held out of the training set. Every method
/// trains equally often: a method that names fewer settings trains each setting with more seeds.
struct Tune {
  std::vector<double> learning_rates;  ///< ascending
  std::vector<std::int64_t> seeds;     ///< for the methods with the most settings
  std::int64_t validation_samples = 0;
  std::int64_t max_iterations = 0;  ///< of each training; 0 of programs, which know their own
  std::int64_t evaluate_every = 0;
  double within = 0.005;
};

template <>
struct JsonFields<Tune> {
  using T = Tune;
  static constexpr std::size_t kLeastRates = 3;
  static constexpr std::tuple kAll{
      required(
          "learning_rates", &T::learning_rates, Bounds{Range::positive()}.with_entries(kLeastRates),
          "rates that are tried with every setting of every method; where the best rate is the "
          "smallest or the largest, half or twice this rate is added for all methods"),
      apart(required("seeds", &T::seeds, {},
                     "seeds of the trainings, none of which is a seed of the scenario; a method "
                     "with fewer settings than another gets further seeds")),
      required("validation_samples", &T::validation_samples, Range::at_least(1),
               "samples of the training set that are not trained on but evaluated; a program finds "
               "their number in PACBENCH_VALIDATION_SAMPLES"),
      sparse("max_iterations", &T::max_iterations, Range::at_least(1),
             "iterations of each training; by default the workload's"),
      sparse("evaluate_every", &T::evaluate_every, Range::at_least(1),
             "iterations between evaluations; by default the workload's"),
      defaulted(
          "within", &T::within, Range{0.0, 1.0},
          "settings whose final accuracy is this near to the method's best count as equally "
          "good (where targets are losses: whose final loss is within this share of the "
          "lowest); of these, the one that needs the fewest bytes to come this near is chosen")};
};

/// Reads the "tune" of a scenario. `max_iterations` and `evaluate_every` are those of the
/// scenario's workload: the defaults of the keys of the same names; 0 where programs run alone.
Tune read_tune(ObjectReader reader, std::int64_t max_iterations, std::int64_t evaluate_every);

}  // namespace pacbench
