#include <gtest/gtest.h>

#include "harness/profile/measure.h"
#include "tests/unit/contract/example_profile.h"

namespace pacbench::profile {
namespace {

/// The example profile, of three GFLOP a sample.
Json of_three_gflop() {
  auto document = testing::example_profile();
  document["flop_per_sample"] = 3e9;
  return document;
}

Json with_exchanges() {
  auto document = testing::example_profile();
  document["exchanges"] = {testing::example_exchanges()};
  return document;
}

TEST(AssumedProfile, TakesItsTimeFromOperationsAndKeepsTheProportionsOfBuckets) {
  const auto measured = profile_from_json("p.json", of_three_gflop());
  const auto assumed = profile::assumed_profile(measured, {10, 0.5});
  // 32 samples of 3 GFLOP at 5 TFLOP/s.
  EXPECT_NEAR(assumed.forward_ms(), 19.2 / 3, 1e-9);
  EXPECT_NEAR(assumed.backward_ms(), 19.2 * 2 / 3, 1e-9);
  EXPECT_NEAR(assumed.ready_ms()[0] / assumed.backward_ms(), 2.0 / 5, 1e-9);
  EXPECT_NEAR(assumed.optimizer_ms(), 19.2 / 7, 1e-9) << "1 ms beside 2 and 5";
  // Computing takes 19.2 ms where 2 + 5 ms were measured.
  EXPECT_NEAR(*assumed.assumption->compute_factor, 19.2 / 7, 1e-9);
  const auto half = profile::assumed_profile(assumed, {10, 0.25});
  EXPECT_NEAR(*half.assumption->compute_factor, 2 * 19.2 / 7, 1e-9);
  const auto again = to_json(profile_from_json("p.json", to_json(half)));
  EXPECT_EQ(again.at("source"), "assumed");
  EXPECT_EQ(again.at("assumption").at("utilisation"), 0.25);
  EXPECT_EQ(again.at("assumption").at("compute_factor"), *half.assumption->compute_factor);
}

TEST(AssumedProfile, EncodesAndDecodesAsFastAsMemoryIsAlsoWhereItIsAssumedOnceMore) {
  const auto measured = profile_from_json("p.json", with_exchanges());
  // The memory of the machine that was profiled copied 10 GB/s.
  const auto assumed = profile::assumed_profile(measured, {37.4, 0.3, 40});
  const auto& exchanges = assumed.exchanges.at(0);
  EXPECT_DOUBLE_EQ(exchanges.buckets[1].steps[0].work_ms, 1);
  EXPECT_DOUBLE_EQ(exchanges.buckets[1].end_ms, 0.75);
  EXPECT_DOUBLE_EQ(exchanges.beside.end_ms, 0.125);
  EXPECT_EQ(exchanges.payload_bytes(), measured.exchanges[0].payload_bytes());
  const auto again = to_json(profile_from_json("p.json", to_json(assumed)));
  EXPECT_EQ(again.at("assumption").at("memory_gb_per_s"), 40);
  const auto half = profile::assumed_profile(assumed, {37.4, 0.15});
  EXPECT_DOUBLE_EQ(half.backward_ms(), 2 * assumed.backward_ms());
  EXPECT_DOUBLE_EQ(half.ready_ms()[0], 2 * assumed.ready_ms()[0]);
  EXPECT_DOUBLE_EQ(half.optimizer_ms(), 2 * assumed.optimizer_ms());
  EXPECT_EQ(to_json(half).at("exchanges"), to_json(assumed).at("exchanges"));
  EXPECT_EQ(half.assumption->memory_gb_per_s, 40);
}

TEST(AssumedProfile, OfWorkersThatSharedTheCoresIsHeldAgainstOneThatHasThemAll) {
  auto document = of_three_gflop();
  document["workers"] = 2;
  auto other = document["iterations"][0];
  other["worker"] = 1;
  document["iterations"].push_back(other);
  const auto measured = profile_from_json("p.json", document);
  const auto assumed = profile::assumed_profile(measured, {10, 0.5});
  EXPECT_NEAR(*assumed.assumption->compute_factor,
              2 * 19.2 / (measured.forward_ms() + measured.backward_ms()), 1e-9);
}

TEST(AssumedProfile, OfAGpuSaysNothingOfThisMachine) {
  auto document = testing::example_profile();
  document["device"] = "cuda";
  const auto measured = profile_from_json("p.json", document);
  EXPECT_FALSE(profile::assumed_profile(measured, {10, 0.5}).assumption->compute_factor);
}

TEST(AssumedProfile, WithExchangesNeedsABandwidth) {
  auto document = with_exchanges();
  document["source"] = "assumed";
  document["assumption"] = {{"peak_tflops", 37.4}, {"utilisation", 0.3}};
  EXPECT_THROW(profile_from_json("p.json", document), ConfigError);
}

TEST(AProfilesSample, LiesBesideIt) {
  EXPECT_EQ(profile::sample_path("a/mlp.profile.json"), "a/mlp.profile.gradients");
}

}  // namespace
}  // namespace pacbench::profile
