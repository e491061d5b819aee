#include "harness/verify/relative_targets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

namespace pacbench::verify::relative_targets_test {
namespace {

using ::testing::ElementsAre;
using verify::Curve;

Curve curve(std::initializer_list<std::array<double, 3>> evaluations) {
  Curve curve;
  for (const auto& [iteration, accuracy, loss] : evaluations) {
    curve.push_back({static_cast<std::int64_t>(iteration), 0, accuracy, loss});
  }
  return curve;
}

const std::vector<Curve> kThree{curve({{10, 0.5, 3}, {20, 0.8, 2}}),
                                curve({{10, 0.3, 4}, {20, 0.6, 2.5}}),
                                curve({{10, 0.4, 3.5}, {20, 0.7, 3}})};

TEST(RelativeTargets, AreSharesOfTheMedianThatAllReduceCameTo) {
  Scenario scenario;
  scenario.target_shares = {0.5, 1.0};
  EXPECT_THAT(verify::targets_of_shares(scenario, kThree),
              ElementsAre(Target{kAccuracy, 0.35}, Target{kAccuracy, 0.7}));
}

TEST(RelativeTargets, AreTheMedianLossesThatAllReduceHadAfterSharesOfItsIterations) {
  Scenario scenario;
  scenario.workload.max_iterations = 20;
  scenario.loss_shares = {0.1, 0.75, 1.0};
  EXPECT_THAT(verify::targets_of_shares(scenario, kThree),
              ElementsAre(Target{kLoss, 3.5}, Target{kLoss, 3.5}, Target{kLoss, 2.5}));
}

TEST(RelativeTargets, AreUnknownUntilAllReduceHasACellThatIsDone) {
  Scenario scenario;
  scenario.target_shares = {0.5};
  scenario.loss_shares = {0.5};
  EXPECT_THAT(verify::targets_of_shares(scenario, {}), ElementsAre());
}

}  // namespace
}  // namespace pacbench::verify::relative_targets_test
