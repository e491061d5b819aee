#include "harness/compose/simulated_memory.h"

#include <gmock/gmock.h>

#include "tests/unit/contract/example_catalogue.h"
#include "tests/unit/contract/example_profile.h"

namespace pacbench::compose {
namespace {

using ::testing::HasSubstr;

/// A scenario of mode simulate with top-k, whose profile has `workers` workers and the collective
/// `op`.
Scenario simulated(int workers, const std::string& op) {
  auto profile = testing::example_profile();
  auto exchanges = testing::example_exchanges();
  exchanges["workers"] = workers;
  for (auto& bucket : exchanges["buckets"]) {
    for (auto& step : bucket["steps"]) step["op"] = op;
  }
  profile["exchanges"] = {exchanges};
  auto document = testing::example_scenario();
  document["mode"] = "simulate";
  document["workers"] = workers;
  document["methods"] = {{{"name", "topk"}, {"ratio", 0.01}}};
  document["compose"] = {{"profile", profile}, {"exchange", "profile"}};
  return scenario_from_json("test", document, testing::example_catalogue());
}

TEST(SimulatedMemory, GrowsWithTheWorkersOfARing) {
  const auto few = estimate_simulated_memory(simulated(8, "all_gather"));
  const auto many = estimate_simulated_memory(simulated(1024, "all_gather"));
  EXPECT_GT(many.bytes, few.bytes);
  EXPECT_LT(many.bytes, 4'000'000'000) << "which a thousand workers may take";
}

TEST(SimulatedMemory, OfAnAllToAllIsRefusedWithTheEstimate) {
  const auto scenario = simulated(1024, "all_to_all");
  EXPECT_EQ(estimate_simulated_memory(scenario).messages, 2 * 1024 * 1023);
  EXPECT_NO_THROW(require_memory_to_simulate(scenario, 16'000'000'000));
  try {
    require_memory_to_simulate(scenario, 2'000'000'000);
    FAIL() << "was taken";
  } catch (const ConfigError& error) {
    EXPECT_THAT(error.what(), HasSubstr("messages under way, whose simulation needs about 2.7 GB"));
    EXPECT_THAT(error.what(), HasSubstr("only 2.0 GB are available"));
  }
}

}  // namespace
}  // namespace pacbench::compose
