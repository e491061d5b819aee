#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/contract/example_catalogue.h"
#include "tests/unit/contract/refusals.h"
#include "tests/unit/contract/scenario/scenario_mistakes.h"

namespace pacbench::testing {
namespace {

using ::testing::HasSubstr;

std::vector<Issue> issues_of(const Json& document) {
  return refusal_issues([&] { scenario_from_json("test.json", document, example_catalogue()); });
}

class ScenarioMistake : public ::testing::TestWithParam<Mistake> {};

TEST_P(ScenarioMistake, IsReportedOnceWithPlaceAndWords) {
  auto document = example_scenario();
  document[Json::json_pointer{GetParam().pointer}] = Json::parse(GetParam().value);
  const auto issues = issues_of(document);
  ASSERT_EQ(issues.size(), 1U) << document.dump();
  EXPECT_EQ(issues[0].pointer, GetParam().reported_at);
  EXPECT_THAT(issues[0].message, HasSubstr(GetParam().words));
}

std::string name_of(const ::testing::TestParamInfo<Mistake>& mistake) { return mistake.param.name; }

INSTANTIATE_TEST_SUITE_P(Schema, ScenarioMistake, ::testing::ValuesIn(mistakes()), name_of);
INSTANTIATE_TEST_SUITE_P(Reader, ScenarioMistake, ::testing::ValuesIn(mistakes_beyond_the_schema()),
                         name_of);

TEST(ScenarioErrors, NameARequiredKeyThatIsMissing) {
  for (const char* key :
       {"/version", "/name", "/network", "/workload", "/methods", "/targets", "/seeds",
        "/network/links", "/network/links/0/rate_mbit", "/workload/model", "/workload/dataset/name",
        "/workload/optimizer/lr", "/methods/2/ratio", "/workload/max_iterations"}) {
    auto document = example_scenario();
    const Json::json_pointer pointer{key};
    document[pointer.parent_pointer()].erase(pointer.back());
    const auto issues = issues_of(document);
    ASSERT_EQ(issues.size(), 1U) << key;
    EXPECT_EQ(issues[0].pointer, key);
    EXPECT_THAT(issues[0].message, HasSubstr("missing"));
  }
}

TEST(ScenarioErrors, NameTwoCellsThatWouldShareAFolder) {
  auto document = example_scenario();
  document["methods"] =
      Json::parse(R"([{"name": "fp16"}, {"name": "all-reduce", "label": "fp16-slow"}])");
  document["network"]["links"] =
      Json::parse(R"([{"name": "slow-a", "rate_mbit": 1}, {"name": "a", "rate_mbit": 2}])");
  const auto issues = issues_of(document);
  ASSERT_EQ(issues.size(), 1U);
  EXPECT_EQ(issues[0].pointer, "/methods/1/label");
  EXPECT_THAT(issues[0].message, HasSubstr("two cells would have the folder \"fp16-slow-a\""));
}

TEST(ScenarioErrors, AreAllReportedAtOnce) {
  auto document = example_scenario();
  document["workers"] = "eight";
  document["network"]["links"][0]["rate_mbit"] = 0;
  document["methods"][2]["ratio"] = 2;
  document["seeds"] = Json::array();
  const auto issues = issues_of(document);
  std::vector<std::string> pointers;
  for (const auto& issue : issues) pointers.push_back(issue.pointer);
  EXPECT_THAT(pointers, ::testing::UnorderedElementsAre("/workers", "/network/links/0/rate_mbit",
                                                        "/methods/2/ratio", "/seeds"));
}

TEST(ScenarioErrors, OfAnUnknownMethodHideNoMistakeElsewhereAndInventNone) {
  auto document = example_scenario();
  document["methods"][2]["name"] = "topkk";
  EXPECT_EQ(issues_of(document).size(), 1U);
}

TEST(ScenarioErrors, SayOfAnotherFileOfPacbenchWhatItIs) {
  const auto issues = issues_of({{"format", "pacbench.profile/1"}, {"model", "mlp"}});
  ASSERT_EQ(issues.size(), 1U);
  EXPECT_EQ(issues[0].pointer, "/format");
  EXPECT_THAT(issues[0].message, HasSubstr("found a pacbench.profile/1 file, expected a scenario"));
}

TEST(ScenarioErrors, NameTheLineOfMalformedJsonAndRefuseAKeyThatStandsTwice) {
  const auto* text = "{\n  \"version\": 1,\n  \"name\" \"x\"\n}";
  EXPECT_THAT(refusal_words([&] { parse_json("test.json", text); }),
              HasSubstr("test.json: not valid JSON at line 3, column 1"));
  EXPECT_THROW(parse_json("test.json", R"({"seeds": [1], "seeds": [2]})"), ConfigError);
}

}  // namespace
}  // namespace pacbench::testing
