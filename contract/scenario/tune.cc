#include "contract/scenario/tune.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/json/read_keys.h"
#include "base/json/schema_parts.h"
#include "contract/scenario/scenario_checks.h"

namespace pacbench {
namespace {

constexpr std::int64_t kMostSeed = 4294967295;

}  // namespace

std::vector<std::int64_t> read_seeds(ObjectReader& reader) {
  auto seeds = reader.integers("seeds", {0.0, static_cast<double>(kMostSeed)});
  if (reader.is_empty_list("seeds")) {
    reader.complain("seeds", "expected at least one seed");
  }
  if (std::set<std::int64_t>(seeds.begin(), seeds.end()).size() < seeds.size()) {
    reader.complain("seeds", "found a seed twice, expected each seed once");
  }
  return seeds;
}

Json seeds_schema() { return schema::list_of(schema::integer(0, kMostSeed)); }

Tune read_tune(ObjectReader reader, std::int64_t max_iterations, std::int64_t evaluate_every) {
  Tune tune;
  tune.max_iterations = max_iterations;
  tune.evaluate_every = evaluate_every;
  read_keys(reader, tune);
  tune.seeds = read_seeds(reader);
  auto& rates = tune.learning_rates;
  std::sort(rates.begin(), rates.end());
  rates.erase(std::unique(rates.begin(), rates.end()), rates.end());
  if (reader.raw("learning_rates").size() >= JsonFields<Tune>::kLeastRates &&
      rates.size() < JsonFields<Tune>::kLeastRates) {
    reader.complain("learning_rates",
                    fmt::format("found {} different rates, expected at least {}: with fewer, the "
                                "best rate is always at an edge of the grid",
                                rates.size(), JsonFields<Tune>::kLeastRates));
  }
  reader.finish();
  return tune;
}

}  // namespace pacbench
