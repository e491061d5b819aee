#include "harness/compose/memory.h"

#include <gmock/gmock.h>

#include "contract/catalogue/choice_json.h"
#include "tests/unit/contract/example_catalogue.h"
#include "tests/unit/contract/example_profile.h"

namespace pacbench::compose {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

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
  const auto dense = estimate(kViT, "all-reduce").worker_bytes;
  for (const char* method : {"all-reduce", "topk", "pactrain"}) {
    const auto need = estimate(kViT, method);
    EXPECT_LT(need.total_bytes, 20LL << 30) << method;
    EXPECT_GT(need.total_bytes, 8 * 2 * 4 * kViT) << "weights and gradients at least";
    EXPECT_EQ(need.worker_bytes > dense, std::string{"all-reduce"} != method) << "its own state";
  }
}

TEST(Memory, ThatIsNotThereIsRefusedBeforehandWithTheEstimate) {
  const auto scenario = scenario_of(kViT, "topk");
  const auto catalogue = testing::example_catalogue();
  EXPECT_NO_THROW(require_memory(scenario, catalogue, 20LL << 30));
  EXPECT_THAT([&] { require_memory(scenario, catalogue, 8LL << 30); },
              ThrowsMessage<ConfigError>(HasSubstr("only 8.6 GB are available")));
}

/// The need of eight workers of top-k that replay these exchanges.
MemoryEstimate estimate_replay(MethodExchanges exchanges) {
  auto scenario = scenario_of(kViT, "topk");
  exchanges.method = choice_to_json(scenario.methods[0].choice);
  exchanges.workers = scenario.workers;
  scenario.compose->exchange = "profile";
  scenario.compose->profile.exchanges = {exchanges};
  return estimate_memory(scenario, testing::example_catalogue());
}

TEST(Memory, OfReplayedExchangesIsThatOfWeightsAndPayloads) {
  MethodExchanges exchanges;
  exchanges.buckets = {{kViT, {{1, "all_gather", "int32", 1'000'000, 4'000'000}}, 1}};
  const auto need = estimate_replay(exchanges);
  EXPECT_EQ(need.worker_bytes, 300'000'000 + 4 * kViT + (1 + 8) * 4'000'000);
  EXPECT_EQ(need.total_bytes, 8 * need.worker_bytes);
}

TEST(Memory, OfReplayedRanksIsThatOfTheRankWhichSendsMost) {
  MethodExchanges exchanges;
  exchanges.ranks.resize(8);
  for (auto& rank : exchanges.ranks) rank.iterations.resize(1);
  MethodExchanges::Step step{1, "all_gather", "int32", 1'000'000, 4'000'000};
  step.ranks = {2, 3};
  exchanges.ranks[2].iterations[0].weights.steps = {step, step};
  exchanges.ranks[3].iterations[0].weights.steps = {step};
  EXPECT_EQ(estimate_replay(exchanges).worker_bytes,
            300'000'000 + 4 * kViT + 2 * (1 + 2) * 4'000'000);
}

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
  EXPECT_THAT([&] { require_memory_to_simulate(scenario, 2'000'000'000); },
              ThrowsMessage<ConfigError>(HasSubstr("needs about 2.7 GB")));
}

}  // namespace
}  // namespace pacbench::compose
