#include "harness/verify/relative_targets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pacbench::run::relative_targets_test {
namespace {

using ::testing::ElementsAre;

Scenario of_methods(std::initializer_list<std::pair<const char*, const char*>> labels) {
  Scenario scenario;
  for (const auto& [label, name] : labels) {
    MethodEntry entry;
    entry.label = label;
    entry.choice.name = name;
    scenario.methods.push_back(entry);
  }
  return scenario;
}

CellResult cell(const char* label, double final_accuracy, const char* status = "done") {
  CellResult result;
  result.label = label;
  result.final_accuracy = final_accuracy;
  result.status = status;
  return result;
}

TEST(RelativeTargets, AreSharesOfTheMedianThatAllReduceCameTo) {
  const auto scenario = of_methods({{"dense", "all-reduce"}, {"fp16", "fp16"}});
  const auto targets = verify::targets_of_shares(
      {0.5, 1.0}, scenario,
      {cell("dense", 0.8), cell("fp16", 0.99), cell("dense", 0.6), cell("dense", 0.7)});
  EXPECT_THAT(targets, ElementsAre(Target{kAccuracy, 0.35}, Target{kAccuracy, 0.7}));
}

TEST(RelativeTargets, AreUnknownUntilAllReduceHasACellThatIsDone) {
  const auto scenario = of_methods({{"all-reduce", "all-reduce"}, {"fp16", "fp16"}});
  EXPECT_THAT(verify::targets_of_shares({0.5}, scenario, {cell("fp16", 0.9)}), ElementsAre());
  EXPECT_THAT(verify::targets_of_shares({0.5}, scenario, {cell("all-reduce", 0.9, "failed")}),
              ElementsAre());
}

}  // namespace
}  // namespace pacbench::run::relative_targets_test
