// Tables of what an iteration takes, of made-up runs.
#include <gmock/gmock.h>

#include "base/sha256.h"
#include "spec/scenario.h"
#include "tests/unit/harness/reproduce/reproduced.h"

namespace pacbench::reproduce::steps_test {
namespace {

using ::testing::HasSubstr;

TEST(Steps, SayOfHowManyTheyAreTheMedianWhereThereAreFew) {
  auto run = made_run({}, figure_5());
  cells_of(run, "all-reduce")[0]->iterations = 4;
  const auto found = reproduced(named({run}));
  EXPECT_EQ(found.steps.at(0).columns.at(0).times.at(0).steps, 3);
  EXPECT_THAT(render_markdown(found), HasSubstr("| 3.40 s × 1.00 (3) |"));
}

TEST(Steps, OfOneLinkAreToldApartByWhatLearningStartedFrom) {
  MadeRun random;
  random.start = "random";
  const auto found = reproduced(named({made_run({}, figure_5()), made_run(random, figure_5())}));
  const auto text = render_markdown(found);
  EXPECT_THAT(text, HasSubstr("| method | 1000 Mbit/s chain3, pre-trained | 1000 Mbit/s chain3, "
                              "from random weights |"));
  EXPECT_THAT(text,
              HasSubstr("**resnet152, cifar10, 1000 Mbit/s, chain3, from random weights** ·"));
}

TEST(Steps, OfOneSettingInTwoScenariosAreToldApartByTheirNames) {
  auto other = made_run({}, {all_reduce(3.4), fp16(1.8), masked(1.9)});
  other.scenario["name"] = "other";
  other.scenario["workload"]["max_iterations"] = 9800;
  other.comparison_hash = sha256(compared_part(other.scenario).dump());
  const auto text = render_markdown(reproduced(named({made_run({}, figure_5()), other})));
  EXPECT_THAT(text, HasSubstr("1000 Mbit/s chain3, pre-trained (1000 of made)"));
  EXPECT_THAT(text, HasSubstr("1000 Mbit/s chain3, pre-trained (1000 of other)"));
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
