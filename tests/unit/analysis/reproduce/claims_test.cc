#include "analysis/reproduce/claims.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <set>

#include "analysis/reproduce/arms.h"
#include "analysis/reproduce/needs.h"
#include "base/files.h"
#include "tests/unit/analysis/reproduce/reproduced.h"

namespace pacbench::reproduce::claims_test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

const Claim& asked(const std::string& id) {
  for (const auto& each : pactrain().claims) {
    if (each.id == id) return each;
  }
  throw std::out_of_range{id};
}

std::string arm_kind(const Json& method) { return pactrain().kind_of(method); }

TEST(Claims, HaveEachAPlaceInThePaperAndSettings) {
  for (const auto& each : pactrain().claims) {
    EXPECT_THAT(each.where, Not(IsEmpty())) << each.id;
    EXPECT_THAT(each.population.words, Not(IsEmpty())) << each.id;
  }
}

TEST(Claims, OfWhichAReaderSeesEightFirst) {
  const auto& all = pactrain().claims;
  EXPECT_EQ(std::count_if(all.begin(), all.end(), [](const Claim& each) { return each.first; }), 8);
}

TEST(Claims, SpeakOfEveryNumberOfThePaper) {
  std::multiset<double> values;
  for (const auto& each : pactrain().claims) values.insert(each.value);
  for (const double value : {8.72, 1.25, 7.05, 5.64, 3.28, 2.0}) {
    EXPECT_GT(values.count(value), 0U) << value;
  }
}

TEST(Claims, OfTheGridNeedFourNetworksThreeRatesAndTwoDataSets) {
  EXPECT_EQ(needs_of(asked("best-tta")).size(), 4U * 3 * 2);
  EXPECT_EQ(needs_of(asked("tta-low")).size(), 4U * 3 * 2 * 3);
  EXPECT_EQ(needs_of(asked("resnet152-fp16")).size(), 1U);
  EXPECT_THAT(needs_of(asked("all-reduce-compatible")), IsEmpty());
}

/// Every problem that is found in a file of claims with this text.
std::string problems_of(const std::string& text) {
  const TemporaryFolder folder;
  const auto path = folder.path() + "/claims.json";
  write_file_atomically(path, text);
  try {
    read_claims(path);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

TEST(ClaimsFile, NamesEverythingThatIsWrongInIt) {
  auto document = read_json_file(shipped_claims("pactrain"));
  EXPECT_EQ(problems_of(document.dump()), "");
  document["arms"][0]["here_as"] = "nobody";
  document["claims"][0]["arms"] = {"nothing"};
  document["claims"][0]["population"] = "nowhere";
  document["claims"][1]["form"] = "roughly";
  document["claims"][2]["id"] = document["claims"][3]["id"];
  document["claims"][4]["surplus"] = 1;
  const auto problems = problems_of(document.dump());
  EXPECT_THAT(problems, HasSubstr("/arms: found \"nobody\""));
  EXPECT_THAT(problems, HasSubstr("/claims/0/arms: found \"nothing\""));
  EXPECT_THAT(problems, HasSubstr("/claims/0/population: found \"nowhere\""));
  EXPECT_THAT(problems, HasSubstr("/claims/1/form"));
  EXPECT_THAT(problems, HasSubstr("/claims/3/id: found an id that another claim has too"));
  EXPECT_THAT(problems, HasSubstr("/claims/4/surplus"));
}

TEST(ClaimsFile, OfAnotherFormatIsRefused) {
  EXPECT_THAT(problems_of("{\"format\": \"pacbench.result/4\"}"), HasSubstr("/format"));
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
