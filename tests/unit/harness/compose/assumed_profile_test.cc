#include <gtest/gtest.h>

#include "harness/profile/measure.h"
#include "tests/unit/spec/example_profile.h"

namespace pacbench {
namespace {

TEST(AssumedProfile, TakesItsTimeFromOperationsAndKeepsTheProportionsOfBuckets) {
  auto document = testing::example_profile();
  document["flop_per_sample"] = 3e9;
  const auto measured = profile_from_json("p.json", document);
  const auto assumed = assumed_profile(measured, {10, 0.5});
  // 32 samples of 3 GFLOP at 5 TFLOP/s.
  EXPECT_NEAR(assumed.forward_ms(), 19.2 / 3, 1e-9);
  EXPECT_NEAR(assumed.backward_ms(), 19.2 * 2 / 3, 1e-9);
  EXPECT_NEAR(assumed.ready_ms()[0] / assumed.backward_ms(), 2.0 / 5, 1e-9);
  EXPECT_NEAR(assumed.optimizer_ms(), 19.2 / 7, 1e-9) << "1 ms beside 2 and 5";
}

TEST(AssumedProfile, SaysSo) {
  const auto measured = profile_from_json("p.json", testing::example_profile());
  const auto document = to_json(assumed_profile(measured, {37.4, 0.3}));
  EXPECT_EQ(document.at("source"), "assumed");
  EXPECT_EQ(document.at("assumption").at("utilisation"), 0.3);
  EXPECT_NO_THROW(profile_from_json("again", document));
}

TEST(AProfilesSample, LiesBesideIt) {
  EXPECT_EQ(sample_path("a/mlp.profile.json"), "a/mlp.profile.gradients");
}

}  // namespace
}  // namespace pacbench
