#include "harness/plan/plan.h"
#include "base/frames.h"
#include "harness/record/rate_limits.h"

#include <gmock/gmock.h>

#include "tests/unit/harness/example.h"

namespace pacbench::plan::plan_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

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

TEST(Plan, OnlyWithoutAValueIsRefused) {
  for (const char* nothing : {"", "method=", "method=a,link="}) {
    EXPECT_THROW(parse_filter({nothing}, fake_scenario()), ConfigError) << nothing;
  }
}

TEST(Plan, OnlyNamesEveryUnknownTermAndWhatThereIs) {
  try {
    parse_filter({"method=c,link=medium", "colour=red"}, fake_scenario());
    FAIL() << "accepted";
  } catch (const ConfigError& error) {
    EXPECT_THAT(error.what(), HasSubstr("no method \"c\" in the scenario; there is: a, b"));
    EXPECT_THAT(error.what(),
                HasSubstr("no link \"medium\" in the scenario; there is: slow, fast"));
    EXPECT_THAT(error.what(), HasSubstr("colour=red"));
  }
}

TEST(Plan, ShapesByFrameSizeUnderWireAccounting) {
  auto scenario = fake_scenario();
  const auto link = scenario.network.links.front();
  EXPECT_DOUBLE_EQ(fabric_request(scenario, link).workers.front().up.rate_mbit, 100);
  scenario.network.rate_accounting = "wire";
  EXPECT_NEAR(fabric_request(scenario, link).workers.front().up.rate_mbit, 98.44, 0.005);
}

TEST(Plan, AddsTheHeadersOfFullFrames) { EXPECT_DOUBLE_EQ(with_headers(1448, 1500), 1514); }

TEST(Plan, DryRunTextNamesCellsAndShaping) {
  const auto scenario = fake_scenario();
  const auto text = describe_plan(scenario, plan(scenario));
  EXPECT_THAT(text, HasSubstr("8 cells"));
  EXPECT_THAT(text, HasSubstr("each sending      1000      1831"));
  EXPECT_THAT(text, HasSubstr("b-fast-2"));
}

TEST(Plan, DryRunTextNamesTheIterationsThatACellRuns) {
  auto scenario = fake_scenario();
  scenario.workload.max_iterations = 4096;
  EXPECT_THAT(describe_plan(scenario, {}), HasSubstr("trainings of at most 4096 iterations\n"));
  for (const auto mode : {Mode::kCompose, Mode::kSimulate}) {
    scenario.mode = mode;
    scenario.compose = Compose{};
    const auto text = describe_plan(scenario, {});
    EXPECT_THAT(text, HasSubstr("at most 30 iterations a cell, without training\n"));
    EXPECT_THAT(text, ::testing::Not(HasSubstr("4096")));
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
  const auto text = describe_plan(scenario, plan(scenario));
  EXPECT_THAT(text, HasSubstr("no network: the scenario's \"network\" is ignored"));
  EXPECT_THAT(text, ::testing::Not(HasSubstr("shaped")));
  EXPECT_TRUE(plan_to_json(scenario, plan(scenario))["links"].empty());
}

}  // namespace
}  // namespace pacbench::plan::plan_test
