#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/report/merge.h"
#include "tests/unit/analysis/report/example_run.h"

namespace pacbench::report {
namespace {

using ::testing::HasSubstr;

RunResult with_seeds_from(std::int64_t first_seed) {
  auto run = example_run();
  for (auto& each : run.cells) each.seed += first_seed - 1;
  return run;
}

std::string merge_error(const std::vector<store::NamedResult>& runs) {
  try {
    merge_runs(runs);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

TEST(Merge, PutsAllCellsTogether) {
  const auto merged = merge_runs({{"a", with_seeds_from(1)}, {"b", with_seeds_from(4)}}).result;
  EXPECT_EQ(merged.cells.size(), 36U);
  EXPECT_EQ(merged.scenario["name"], "wan100");
}

TEST(Merge, RefusesTheSameMeasurementTwiceAndSaysWhere) {
  EXPECT_THAT(merge_error({{"a.json", example_run()}, {"b.json", example_run()}}),
              HasSubstr("b.json: /cells: all-reduce on 100Mbps with seed 1 is also in a.json"));
}

TEST(Merge, RefusesOneLabelForTwoMethods) {
  auto other = with_seeds_from(4);
  other.scenario["methods"][2]["ratio"] = 0.2;
  EXPECT_THAT(
      merge_error({{"a.json", example_run()}, {"b.json", other}}),
      HasSubstr("b.json: /scenario/methods: method \"topk-0.1\" has other options than in a.json"));
}

TEST(Merge, NamesTheRunThatHasTheOtherOptions) {
  auto first = example_run();
  auto& methods = first.scenario["methods"];
  methods.erase(methods.begin() + 2);
  auto other = with_seeds_from(7);
  other.scenario["methods"][2]["ratio"] = 0.2;
  EXPECT_THAT(merge_error({{"a.json", first}, {"b.json", with_seeds_from(4)}, {"c.json", other}}),
              HasSubstr("c.json: /scenario/methods: method \"topk-0.1\" has other options than in "
                        "b.json; run"));
}

TEST(Merge, SaysThatSharesOfAllReduceAreNoTargetsYet) {
  auto run = example_run();
  run.scenario["targets"] = Json::object();
  const auto error = merge_error({{"half", run}});
  EXPECT_THAT(error, HasSubstr("half"));
  EXPECT_THAT(error, HasSubstr("all-reduce"));
  EXPECT_THAT(error, HasSubstr("--resume"));
}

TEST(Merge, KeepsTheTargetsThatAllRunsLookedFor) {
  auto other = with_seeds_from(4);
  other.scenario["targets"]["accuracy"] = {0.95, 0.99};
  const auto merged = merge_runs({{"a", example_run()}, {"b", other}}).result;
  EXPECT_EQ(merged.scenario["targets"]["accuracy"], Json::array({0.95}));
  other.scenario["targets"]["accuracy"] = {0.99};
  EXPECT_THAT(merge_error({{"a", example_run()}, {"b", other}}),
              HasSubstr("found no target that all runs from a to this one share"));
}

TEST(Merge, NamesTheRunThatSharesNoTargetWithThoseBeforeIt) {
  auto other = with_seeds_from(4);
  other.scenario["targets"]["accuracy"] = {0.99};
  EXPECT_THAT(
      merge_error({{"a", example_run()}, {"b", other}, {"c", with_seeds_from(7)}}),
      HasSubstr("b: /scenario/targets: found no target that all runs from a to this one share"));
}

TEST(Difference, NamesTheFirstPlaceAndBothValues) {
  auto other = example_run();
  other.scenario["workload"]["batch_per_worker"] = 64;
  const auto difference = first_difference(other, example_run());
  ASSERT_TRUE(difference);
  EXPECT_EQ(difference->pointer, "/workload/batch_per_worker");
  EXPECT_EQ(difference->expected, "32 (a number)");
  EXPECT_EQ(difference->found, "64 (a number)");
}

TEST(Difference, IgnoresNameSeedsMethodsAndTargets) {
  auto other = example_run();
  other.scenario["name"] = "again";
  other.scenario["seeds"] = {9};
  other.scenario["methods"].erase(0);
  other.scenario["targets"]["accuracy"] = {0.5};
  EXPECT_FALSE(first_difference(other, example_run()));
}

TEST(Difference, ShowsAKeyThatOnlyOneHas) {
  auto other = example_run();
  other.scenario["extra"] = 1;
  const auto difference = first_difference(other, example_run());
  ASSERT_TRUE(difference);
  EXPECT_EQ(difference->pointer, "/extra");
  EXPECT_EQ(difference->expected, "nothing");
}

}  // namespace
}  // namespace pacbench::report
