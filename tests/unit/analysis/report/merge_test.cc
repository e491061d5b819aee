#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/report/merge.h"
#include "tests/unit/analysis/report/example_run.h"
#include "tests/unit/contract/refusals.h"

namespace pacbench::report {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

RunResult with_seeds_from(std::int64_t first_seed) {
  auto run = example_run();
  for (auto& each : run.cells) each.seed += first_seed - 1;
  return run;
}

std::string merge_error(const std::vector<store::NamedResult>& runs) {
  return testing::refusal_words([&] { merge_runs(runs); });
}

TEST(Merge, RefusesOneLabelForTwoMethodsAndNamesTheRunThatHasTheOtherOptions) {
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
  EXPECT_THAT(merge_error({{"half", run}}), AllOf(HasSubstr("half"), HasSubstr("--resume")));
}

TEST(Merge, KeepsTheTargetsThatAllRunsLookedFor) {
  auto other = with_seeds_from(4);
  other.scenario["targets"]["accuracy"] = {0.95, 0.99};
  const auto merged = merge_runs({{"a", example_run()}, {"b", other}}).result;
  EXPECT_EQ(merged.scenario["targets"]["accuracy"], Json::array({0.95}));
  other.scenario["targets"]["accuracy"] = {0.99};
  EXPECT_THAT(
      merge_error({{"a", example_run()}, {"b", other}, {"c", with_seeds_from(7)}}),
      HasSubstr("b: /scenario/targets: found no target that all runs from a to this one share"));
}

TEST(Difference, NamesTheFirstPlaceAndBothValues) {
  auto other = example_run();
  other.scenario["workload"]["batch_per_worker"] = 64;
  auto difference = first_difference(other, example_run()).value();
  EXPECT_EQ(difference.pointer, "/workload/batch_per_worker");
  EXPECT_EQ(difference.expected, "32 (a number)");
  EXPECT_EQ(difference.found, "64 (a number)");
  other = example_run();
  other.scenario["extra"] = 1;
  difference = first_difference(other, example_run()).value();
  EXPECT_EQ(difference.pointer, "/extra");
  EXPECT_EQ(difference.expected, "nothing");
}

TEST(Difference, IgnoresNameSeedsMethodsAndTargets) {
  auto other = example_run();
  other.scenario["name"] = "again";
  other.scenario["seeds"] = {9};
  other.scenario["methods"].erase(0);
  other.scenario["targets"]["accuracy"] = {0.5};
  EXPECT_FALSE(first_difference(other, example_run()));
}

}  // namespace
}  // namespace pacbench::report
