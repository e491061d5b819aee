#include "harness/plan/scenario_file.h"

#include <gmock/gmock.h>

#include "harness/text/difference.h"
#include "tests/unit/contract/refusals.h"
#include "tests/unit/harness/example.h"

namespace pacbench::plan::override_test {
namespace {

using ::testing::HasSubstr;

std::string refusal(const std::string& assignment, const Json& before = fake_scenario_json()) {
  auto scenario = before;
  const auto words = testing::refusal_words([&] { apply_override(scenario, assignment); });
  EXPECT_EQ(scenario, before) << "changed all the same";
  return words;
}

TEST(Override, TakesJsonAndFallsBackToText) {
  auto scenario = fake_scenario_json();
  for (const char* assignment : {"/workload/max_iterations=10", "/name=a=b", "/seeds=[3]",
                                 "/network/links/1/rate_mbit=500", "/workload/stop=targets"}) {
    apply_override(scenario, assignment);
  }
  EXPECT_EQ(scenario["workload"]["max_iterations"], 10);
  EXPECT_EQ(scenario["name"], "a=b");
  EXPECT_EQ(scenario["seeds"], Json({3}));
  EXPECT_EQ(scenario["network"]["links"][1]["rate_mbit"], 500);
  EXPECT_EQ(scenario["workload"]["stop"], "targets");
}

TEST(Override, SaysWhatStandsWhereThePointerEnds) {
  EXPECT_THAT(refusal("/worklod/lr=1"),
              HasSubstr("found nothing at /worklod; below the top there is"));
  EXPECT_THAT(refusal("/network/links/2={}"), HasSubstr("an array of 2 elements, 0 to 1"));
  EXPECT_THAT(refusal("/seeds/0/x=1", {{"seeds", Json::array()}}), HasSubstr("an empty array"));
  EXPECT_THAT(refusal("/name/x=1"), HasSubstr("has no parts"));
  EXPECT_THAT(refusal("name=1"), HasSubstr("expected /json/pointer=VALUE"));
  EXPECT_THAT(refusal("/name"), HasSubstr("expected /json/pointer=VALUE"));
  EXPECT_THAT(refusal("/network/links/-={}"), HasSubstr("there is no element"));
}

TEST(Difference, NamesTheFirstPlaceAndBothValues) {
  const auto difference = first_difference(Json::parse(R"({"a": [1, {"b": 2}], "c": 1})"),
                                           Json::parse(R"({"a": [1, {"b": 3}], "c": 2})"));
  ASSERT_TRUE(difference);
  EXPECT_EQ(difference->pointer, "/a/1/b");
  EXPECT_THAT(difference->found, HasSubstr("2"));
  EXPECT_THAT(difference->expected, HasSubstr("3"));
  EXPECT_EQ(first_difference(Json{{"a", {1}}}, Json{{"a", {1, 2}}})->pointer, "/a/1");
  EXPECT_EQ(first_difference(Json{{"x", 1}}, Json::object())->expected, "nothing");
  EXPECT_FALSE(first_difference(fake_scenario_json(), fake_scenario_json()));
}

}  // namespace
}  // namespace pacbench::plan::override_test
