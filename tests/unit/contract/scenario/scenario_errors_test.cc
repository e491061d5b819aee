#include "tests/unit/contract/example_catalogue.h"
#include "tests/unit/contract/matchers.h"
#include "tests/unit/contract/refusals.h"
#include "tests/unit/contract/scenario/scenario_mistakes.h"

namespace pacbench::testing {
namespace {

std::vector<Issue> issues_of(const Json& document) {
  return refusal_issues([&] { read_scenario(document); });
}

void expect_one_issue(const Json& document, const std::string& place, const char* words) {
  const auto issues = issues_of(document);
  ASSERT_EQ(issues.size(), 1U) << place << " in " << document;
  EXPECT_EQ(issues[0].pointer, place);
  EXPECT_THAT(issues[0].message, HasSubstr(words)) << place;
}

TEST(ScenarioErrors, OfEachMistakeAreOneWithPlaceAndWords) {
  for (const auto* table : {&kMistakes, &kMistakesBeyondTheSchema}) {
    for (const auto& [pointer, value, words, reported_at] : *table) {
      auto document = example_scenario();
      document[Json::json_pointer{pointer}] = Json::parse(value);
      expect_one_issue(document, reported_at == nullptr ? pointer : reported_at, words);
    }
  }
}

TEST(ScenarioErrors, NameARequiredKeyThatIsMissing) {
  for (const char* key :
       {"/version", "/name", "/network", "/workload", "/methods", "/targets", "/seeds",
        "/network/links", "/network/links/0/rate_mbit", "/workload/model", "/workload/dataset/name",
        "/workload/optimizer/lr", "/methods/2/ratio", "/workload/max_iterations"}) {
    auto document = example_scenario();
    const Json::json_pointer pointer{key};
    document[pointer.parent_pointer()].erase(pointer.back());
    expect_one_issue(document, key, "missing");
  }
}

TEST(ScenarioErrors, NameTwoCellsThatWouldShareAFolder) {
  auto document = example_scenario();
  document["methods"] =
      Json::parse(R"([{"name": "fp16"}, {"name": "all-reduce", "label": "fp16-slow"}])");
  document["network"]["links"] =
      Json::parse(R"([{"name": "slow-a", "rate_mbit": 1}, {"name": "a", "rate_mbit": 2}])");
  expect_one_issue(document, "/methods/1/label", "two cells would have the folder \"fp16-slow-a\"");
}

TEST(ScenarioErrors, AreAllReportedAtOnce) {
  auto document = example_scenario();
  document["workers"] = "eight";
  document["network"]["links"][0]["rate_mbit"] = 0;
  document["methods"][2]["ratio"] = 2;
  document["seeds"] = Json::array();
  std::vector<std::string> pointers;
  for (const auto& issue : issues_of(document)) pointers.push_back(issue.pointer);
  EXPECT_THAT(pointers, ::testing::UnorderedElementsAre("/workers", "/network/links/0/rate_mbit",
                                                        "/methods/2/ratio", "/seeds"));
}

TEST(ScenarioErrors, SayOfAnotherFileOfPacbenchWhatItIs) {
  expect_one_issue({{"format", "pacbench.profile/1"}, {"model", "mlp"}}, "/format",
                   "found a pacbench.profile/1 file, expected a scenario");
}

}  // namespace
}  // namespace pacbench::testing
