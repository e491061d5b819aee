#include "contract/scenario/tune.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/json/object_schema.h"
#include "base/json/read_keys.h"
#include "contract/scenario/seeds.h"

namespace pacbench {
namespace {

constexpr std::size_t kLeastRates = 3;

}  // namespace

template <>
struct JsonFields<Tune> {
  using T = Tune;
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

Tune read_tune(ObjectReader reader, std::int64_t max_iterations, std::int64_t evaluate_every) {
  Tune tune;
  tune.max_iterations = max_iterations;
  tune.evaluate_every = evaluate_every;
  read_keys(reader, tune);
  tune.seeds = read_seeds(reader);
  auto& rates = tune.learning_rates;
  std::sort(rates.begin(), rates.end());
  rates.erase(std::unique(rates.begin(), rates.end()), rates.end());
  if (reader.raw("learning_rates").size() >= kLeastRates && rates.size() < kLeastRates) {
    reader.complain("learning_rates",
                    fmt::format("found {} different rates, expected at least {}: with fewer, the "
                                "best rate is always at an edge of the grid",
                                rates.size(), kLeastRates));
  }
  reader.finish();
  return tune;
}

Json to_json(const Tune& tune) { return Json(tune); }

Json tune_schema() {
  return schema::described(
      object_schema<Tune>({{"seeds", seeds_schema()}}),
      "chooses the options and learning rates of all methods before they are measured, with the "
      "same number of trainings for each (mode learn; programs train over the first link)");
}

}  // namespace pacbench
