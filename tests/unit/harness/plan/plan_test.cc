#include "harness/plan/plan.h"

#include <gmock/gmock.h>

#include "harness/record/rate_limits.h"
#include "tests/unit/harness/example.h"

namespace pacbench::plan::plan_test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

std::vector<std::string> names(const std::vector<Cell>& cells) {
  std::vector<std::string> result;
  for (const auto& cell : cells) result.push_back(cell.folder_name());
  return result;
}

TEST(Plan, RunsAllMethodsOfALinkBeforeTheNextSeed) {
  EXPECT_THAT(names(plan(fake_scenario())),
              ElementsAre("a-slow-1", "b-slow-1", "a-fast-1", "b-fast-1", "a-slow-2", "b-slow-2",
                          "a-fast-2", "b-fast-2"));
}

TEST(Plan, OnlyLeavesTheCellsThatMeetAllTerms) {
  const auto scenario = fake_scenario();
  EXPECT_THAT(names(plan(scenario, parse_filter({"method=a,link=fast"}, scenario))),
              ElementsAre("a-fast-1", "a-fast-2"));
  EXPECT_THAT(names(plan(scenario, parse_filter({"method=b|a", "link=slow", "seed=2"}, scenario))),
              ElementsAre("a-slow-2", "b-slow-2"));
  EXPECT_THAT(names(plan(scenario, parse_filter({"method=a,b,link=slow,seed=1"}, scenario))),
              ElementsAre("a-slow-1", "b-slow-1"));
}

TEST(Plan, OnlyIsRefusedWithoutAValueAndNamesEveryUnknownTermAndWhatThereIs) {
  for (const char* nothing : {"", "method=", "method=a,link="}) {
    EXPECT_THROW(parse_filter({nothing}, fake_scenario()), ConfigError) << nothing;
  }
  EXPECT_THAT(
      [] {
        parse_filter({"method=c,link=medium", "colour=red"}, fake_scenario());
      },
      ::testing::ThrowsMessage<ConfigError>(
          AllOf(HasSubstr("no method \"c\" in the scenario; there is: a, b"),
                HasSubstr("no link \"medium\""), HasSubstr("colour=red"))));
}

TEST(Plan, DryRunTextNamesCellsShapingAndTheIterationsThatACellRuns) {
  auto scenario = fake_scenario();
  EXPECT_THAT(describe_plan(scenario, plan(scenario)),
              AllOf(HasSubstr("8 cells"), HasSubstr("each sending      1000      1831"),
                    HasSubstr("b-fast-2")));
  scenario.workload.max_iterations = 4096;
  EXPECT_THAT(describe_plan(scenario, {}), HasSubstr("trainings of at most 4096 iterations\n"));
  for (const auto mode : {Mode::kCompose, Mode::kSimulate}) {
    scenario.mode = mode;
    scenario.compose = Compose{};
    EXPECT_THAT(describe_plan(scenario, {}),
                AllOf(HasSubstr("at most 30 iterations a cell"), Not(HasSubstr("4096"))));
  }
}

TEST(Plan, AsJsonHoldsWhatTheDaemonIsAskedForOverEachLink) {
  const auto scenario = fake_scenario();
  const auto document = plan_to_json(scenario, plan(scenario));
  EXPECT_EQ(document["cells"].size(), 8u);
  ASSERT_EQ(document["links"].size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    const auto& link = scenario.network.links[i];
    EXPECT_EQ(document["links"][i]["name"], link.name);
    const auto request = netd::create_request_from_json(document["links"][i]["request"]);
    EXPECT_EQ(to_json(request), to_json(fabric_request(scenario, link)));
  }
}

TEST(Plan, OfLearnHasOneCellAMethodAndSeed) {
  auto document = fake_scenario_json();
  document["mode"] = "learn";
  const auto scenario = scenario_from_json("learn.json", document, fake_catalogue());
  EXPECT_THAT(names(plan(scenario)), ElementsAre("a-none-1", "b-none-1", "a-none-2", "b-none-2"));
  EXPECT_FALSE((record::RateLimits{scenario, plan(scenario).front().link}.any()));
  EXPECT_THAT(describe_plan(scenario, plan(scenario)),
              AllOf(HasSubstr("no network"), Not(HasSubstr("shaped"))));
  EXPECT_TRUE(plan_to_json(scenario, plan(scenario))["links"].empty());
}

}  // namespace
}  // namespace pacbench::plan::plan_test
