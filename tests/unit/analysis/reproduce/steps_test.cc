// Tables of times per iteration, from made-up runs.
#include <gtest/gtest.h>

#include "base/sha256.h"
#include "contract/scenario/scenario.h"
#include "tests/unit/analysis/reproduce/reproduced.h"

namespace pacbench::reproduce::steps_test {
namespace {

TEST(Steps, SayOfHowManyTheyAreTheMedian) {
  auto run = made_run({}, figure_5());
  cells_of(run, "all-reduce")[0]->iterations = 4;
  const auto found = reproduced(named({run}));
  EXPECT_EQ(found.steps.at(0).columns.at(0).times.at(0).steps, 3);
}

TEST(Steps, OfOneLinkHaveWhatLearningStartedFrom) {
  MadeRun random;
  random.start = "random";
  const auto found = reproduced(named({made_run({}, figure_5()), made_run(random, figure_5())}));
  ASSERT_EQ(found.steps.at(0).columns.size(), 2U);
  EXPECT_EQ(found.steps[0].columns[0].setting.start, "pretrain");
  EXPECT_EQ(found.steps[0].columns[1].setting.start, "random");
}

TEST(Steps, OfOneSettingInTwoScenariosHaveTheirNames) {
  auto other = made_run({}, {all_reduce(3.4), fp16(1.8), masked(1.9)});
  other.scenario["name"] = "other";
  other.scenario["workload"]["max_iterations"] = 9800;
  other.comparison_hash = sha256(compared_part(other.scenario).dump());
  const auto found = reproduced(named({made_run({}, figure_5()), other}));
  ASSERT_EQ(found.steps.at(0).columns.size(), 2U);
  EXPECT_EQ(found.steps[0].columns[0].name, "made");
  EXPECT_EQ(found.steps[0].columns[1].name, "other");
}

TEST(Steps, SayWhatIsSuspectAndGiveItNoSpeedUp) {
  auto run = made_run({}, figure_5());
  cells_of(run, "fp16")[0]->link_verdict = {"suspect", {"probe"}};
  const auto found = reproduced(named({run}));
  const auto& times = found.steps.at(0).columns.at(0).times;
  EXPECT_TRUE(times[1].suspect);
  EXPECT_FALSE(times[1].speed_up.has_value());
  EXPECT_NEAR(times[3].speed_up->value, 3.4 / 1.8, 1e-9);
}

}  // namespace
}  // namespace pacbench::reproduce::steps_test
