#include "harness/reproduce/claims.h"

#include <gmock/gmock.h>

#include <set>

#include "harness/reproduce/arms.h"
#include "harness/reproduce/needs.h"

namespace pacbench::reproduce::claims_test {
namespace {

using ::testing::IsEmpty;
using ::testing::Not;

const Claim& claim(const std::string& id) {
  for (const auto& each : paper_claims()) {
    if (each.id == id) return each;
  }
  throw std::out_of_range{id};
}

TEST(Claims, HaveEachANameOfTheirOwnAndAPlaceInThePaper) {
  std::set<std::string> ids;
  for (const auto& each : paper_claims()) {
    EXPECT_TRUE(ids.insert(each.id).second) << each.id;
    EXPECT_THAT(each.where, Not(IsEmpty())) << each.id;
    EXPECT_THAT(each.arms, Not(IsEmpty())) << each.id;
    EXPECT_GT(each.value, 0) << each.id;
  }
}

TEST(Claims, NameArmsThatThereAre) {
  for (const auto& each : paper_claims()) {
    for (const auto& kinds : {each.arms, each.extras, each.baselines}) {
      for (const auto& kind : kinds) EXPECT_NE(arm_words(kind), kind) << each.id;
    }
  }
}

TEST(Claims, SpeakOfEveryNumberOfThePaper) {
  std::multiset<double> values;
  for (const auto& each : paper_claims()) values.insert(each.value);
  for (const double value : {8.72, 1.25, 7.05, 5.64, 3.28, 2.0}) {
    EXPECT_GT(values.count(value), 0U) << value;
  }
}

TEST(Claims, OfTheGridNeedFourNetworksThreeRatesAndTwoDataSets) {
  EXPECT_EQ(needs_of(claim("best-tta")).size(), 4U * 3 * 2);
  EXPECT_EQ(needs_of(claim("tta-low")).size(), 4U * 3 * 2 * 3);
  EXPECT_EQ(needs_of(claim("resnet152-fp16")).size(), 1U);
  EXPECT_THAT(needs_of(claim("all-reduce-compatible")), IsEmpty());
}

TEST(Arms, AreToldByOptionsAndNotByLabel) {
  const Json masked{{"name", "pactrain"}, {"label", "x"}, {"quantize", "none"}};
  auto ternary = masked;
  ternary["quantize"] = "ternary";
  auto lanes = ternary;
  lanes["encoding"] = "lanes";
  auto feedback = ternary;
  feedback["error_feedback"] = true;
  auto unmasked = masked;
  unmasked["gradient_masking"] = false;
  EXPECT_EQ(arm_kind(masked), "masked");
  EXPECT_EQ(arm_kind(ternary), "masked-ternary");
  EXPECT_EQ(arm_kind(lanes), "masked-ternary-lanes");
  EXPECT_EQ(arm_kind(feedback), "masked-levels");
  EXPECT_EQ(arm_kind(unmasked), "unmasked");
  EXPECT_EQ(arm_kind({{"name", "terngrad"}, {"encoding", "all-to-all"}}), "ternary-all-to-all");
  EXPECT_EQ(arm_kind({{"name", "topk"}, {"ratio", 0.1}}), "topk-0.1");
  EXPECT_EQ(arm_kind({{"name", "fp16"}, {"sum", "direct"}}), "fp16-direct");
}

TEST(Arms, AreTheSameUnderAnotherLabel) {
  const Json one{{"name", "pactrain"}, {"label", "a"}, {"pruning_ratio", 0.5}};
  Json other = one;
  other["label"] = "b";
  EXPECT_EQ(arm_identity(one, false), arm_identity(other, false));
  other["pruning_ratio"] = 0.8;
  EXPECT_NE(arm_identity(one, false), arm_identity(other, false));
  EXPECT_EQ(arm_identity(one, true), arm_identity(other, true));
}

}  // namespace
}  // namespace pacbench::reproduce::claims_test
