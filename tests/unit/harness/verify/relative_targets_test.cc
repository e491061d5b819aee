#include "harness/verify/recount.h"

#include <gmock/gmock.h>

namespace pacbench::verify::relative_targets_test {
namespace {

using ::testing::ElementsAre;

const std::vector<Curve> kThree{{{10, 0, 0.5, 3}, {20, 0, 0.8, 2}},
                                {{10, 0, 0.3, 4}, {20, 0, 0.6, 2.5}},
                                {{10, 0, 0.4, 3.5}, {20, 0, 0.7, 3}}};

TEST(RelativeTargets, AreSharesOfTheMedianThatAllReduceCameTo) {
  Scenario scenario;
  scenario.target_shares = {0.5, 1.0};
  EXPECT_THAT(targets_of_shares(scenario, kThree),
              ElementsAre(Target{kAccuracy, 0.35}, Target{kAccuracy, 0.7}));
}

TEST(RelativeTargets, AreTheMedianLossesThatAllReduceHadAfterSharesOfItsIterations) {
  Scenario scenario;
  scenario.workload.max_iterations = 20;
  scenario.loss_shares = {0.1, 0.75, 1.0};
  EXPECT_THAT(targets_of_shares(scenario, kThree),
              ElementsAre(Target{kLoss, 3.5}, Target{kLoss, 3.5}, Target{kLoss, 2.5}));
  EXPECT_THAT(targets_of_shares(scenario, {}), ElementsAre()) << "no cell is done";
}

}  // namespace
}  // namespace pacbench::verify::relative_targets_test
