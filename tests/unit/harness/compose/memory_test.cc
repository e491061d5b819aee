#include "harness/compose/memory.h"

#include <gmock/gmock.h>

#include "contract/catalogue/choice_json.h"
#include "tests/unit/contract/example_catalogue.h"
#include "tests/unit/contract/example_profile.h"

namespace pacbench::compose {
namespace {

using ::testing::HasSubstr;

Scenario scenario_of(std::int64_t parameters, const std::string& method) {
  auto profile = testing::example_profile();
  profile["buckets"] = {
      {{"parameters", {"w"}}, {"elements", parameters}, {"bytes", 4 * parameters}}};
  profile["sample"]["counts"] = {10};
  for (auto& iteration : profile["iterations"]) iteration["ready_ms"] = {1};
  auto document = testing::example_scenario();
  document["mode"] = "compose";
  document["compose"] = {{"profile", profile}};
  document["methods"] = {{{"name", method}}};
  if (method == "topk") document["methods"][0]["ratio"] = 0.1;
  if (method == "pactrain") document["methods"][0]["pruning_ratio"] = 0.5;
  return scenario_from_json("test", document, testing::example_catalogue());
}

MemoryEstimate estimate(std::int64_t parameters, const std::string& method) {
  return estimate_memory(scenario_of(parameters, method), testing::example_catalogue());
}

constexpr std::int64_t kViT = 85'798'656;

TEST(Memory, OfEightWorkersWithThePapersLargestModelIsBelowTwentyGigabytes) {
  for (const char* method : {"all-reduce", "topk", "pactrain"}) {
    const auto need = estimate(kViT, method);
    EXPECT_LT(need.total_bytes, 20LL << 30) << method;
    EXPECT_GT(need.total_bytes, 8 * 2 * 4 * kViT) << "weights and gradients at least";
  }
}

TEST(Memory, IsMoreWhereAMethodKeepsResidualsOrMasks) {
  const auto dense = estimate(kViT, "all-reduce").worker_bytes;
  EXPECT_GT(estimate(kViT, "topk").worker_bytes, dense);
  EXPECT_GT(estimate(kViT, "pactrain").worker_bytes, dense);
}

TEST(Memory, ThatIsNotThereIsRefusedBeforehandWithTheEstimate) {
  const auto scenario = scenario_of(kViT, "topk");
  const auto catalogue = testing::example_catalogue();
  EXPECT_NO_THROW(require_memory(scenario, catalogue, 20LL << 30));
  try {
    require_memory(scenario, catalogue, 8LL << 30);
    FAIL() << "was taken";
  } catch (const ConfigError& error) {
    EXPECT_THAT(error.what(), HasSubstr("8 workers of method topk"));
    EXPECT_THAT(error.what(), HasSubstr("only 8.6 GB are available"));
  }
}

TEST(Memory, OfReplayedExchangesIsThatOfWeightsAndPayloads) {
  auto scenario = scenario_of(kViT, "topk");
  auto& compose = *scenario.compose;
  compose.exchange = "profile";
  MethodExchanges exchanges;
  exchanges.method = choice_to_json(scenario.methods[0].choice);
  exchanges.workers = scenario.workers;
  exchanges.buckets = {{kViT, {{1, "all_gather", "int32", 1'000'000, 4'000'000}}, 1}};
  compose.profile.exchanges = {exchanges};
  const auto need = estimate_memory(scenario, testing::example_catalogue());
  EXPECT_EQ(need.worker_bytes, 300'000'000 + 4 * kViT + (1 + scenario.workers) * 4'000'000);
  EXPECT_EQ(need.total_bytes, scenario.workers * need.worker_bytes);
}

TEST(Memory, OfReplayedRanksIsThatOfTheRankWhichSendsMost) {
  auto scenario = scenario_of(kViT, "topk");
  auto& compose = *scenario.compose;
  compose.exchange = "profile";
  MethodExchanges exchanges;
  exchanges.method = choice_to_json(scenario.methods[0].choice);
  exchanges.workers = scenario.workers;
  exchanges.ranks.resize(static_cast<std::size_t>(scenario.workers));
  for (auto& rank : exchanges.ranks) rank.iterations.resize(1);
  MethodExchanges::Step step{1, "all_gather", "int32", 1'000'000, 4'000'000};
  step.ranks = {2, 3};
  exchanges.ranks[2].iterations[0].weights.steps = {step, step};
  exchanges.ranks[3].iterations[0].weights.steps = {step};
  compose.profile.exchanges = {exchanges};
  const auto need = estimate_memory(scenario, testing::example_catalogue());
  EXPECT_EQ(need.worker_bytes, 300'000'000 + 4 * kViT + 2 * (1 + 2) * 4'000'000);
}

TEST(Memory, OfThisMachineIsKnown) { EXPECT_GT(available_memory(), 0); }

}  // namespace
}  // namespace pacbench::compose
