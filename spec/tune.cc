#include "spec/tune.h"

#include <fmt/format.h>

#include <algorithm>

#include "spec/schema_parts.h"
#include "spec/seeds.h"

namespace pacbench {
namespace {

constexpr std::size_t kLeastRates = 3;

}  // namespace

Tune read_tune(ObjectReader reader, std::int64_t max_iterations, std::int64_t evaluate_every) {
  Tune tune;
  tune.learning_rates = reader.numbers("learning_rates", Range::positive());
  auto& rates = tune.learning_rates;
  std::sort(rates.begin(), rates.end());
  rates.erase(std::unique(rates.begin(), rates.end()), rates.end());
  if (reader.has("learning_rates") && rates.size() < kLeastRates) {
    reader.complain("learning_rates",
                    fmt::format("found {} different rates, expected at least {}: a best one at the "
                                "edge of the grid says nothing",
                                rates.size(), kLeastRates));
  }
  tune.seeds = read_seeds(reader);
  tune.validation_samples = reader.integer("validation_samples", Range::at_least(1));
  tune.max_iterations = reader.integer_or("max_iterations", max_iterations, Range::at_least(1));
  tune.evaluate_every = reader.integer_or("evaluate_every", evaluate_every, Range::at_least(1));
  tune.within = reader.number_or("within", tune.within, {0.0, 1.0, false});
  reader.finish();
  return tune;
}

Json to_json(const Tune& tune) {
  return {{"learning_rates", tune.learning_rates},         {"seeds", tune.seeds},
          {"validation_samples", tune.validation_samples}, {"max_iterations", tune.max_iterations},
          {"evaluate_every", tune.evaluate_every},         {"within", tune.within}};
}

Json tune_schema() {
  using namespace schema;
  return described(
      closed_object(
          {{"learning_rates",
            described({{"type", "array"}, {"items", positive_number()}, {"minItems", kLeastRates}},
                      "tried with every setting of every method; where the best is the smallest or "
                      "the largest, the grid is extended by a factor of two for all methods")},
           {"seeds", described(list_of(integer(0, 4294967295)),
                               "none of those that are measured; a method with fewer settings than "
                               "another has further ones")},
           {"validation_samples",
            described(integer_from(1), "of the training set, kept from training and evaluated")},
           {"max_iterations",
            described(integer_from(1), "of each training; by default the workload's")},
           {"evaluate_every", described(integer_from(1), "by default the workload's")},
           {"within",
            described(
                with_default({{"type", "number"}, {"minimum", 0}, {"maximum", 1}}, Tune{}.within),
                "settings whose final accuracy is this near to the method's best are as good; "
                "of them the one with the fewest bytes until there is taken")}},
          {"learning_rates", "seeds", "validation_samples"}),
      "chooses the options and learning rates of all methods before they are measured, with the "
      "same "
      "number of trainings for each (mode learn)");
}

}  // namespace pacbench
