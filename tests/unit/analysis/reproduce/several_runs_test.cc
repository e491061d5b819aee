// Several runs of one setting, and runs whose workers overslept.
#include <gmock/gmock.h>

#include "tests/unit/analysis/reproduce/reproduced.h"
#include "tests/unit/contract/schema_check.h"

namespace pacbench::reproduce::several_runs_test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// The evidence that represents the arm `label` in the claim on training throughput.
const Evidence& throughput(const Reproduction& reproduction, const std::string& label) {
  return arm(claim(reproduction, "throughput-all-reduce"), label).best();
}

TEST(SeveralRuns, OfOneSettingHaveTheRangeBetweenThem) {
  const auto found =
      reproduced(named({made_run(composed(), figure_5()),
                        made_run(composed(), {all_reduce(3.8), fp16(2.1), masked_ternary(0.5)})}));
  const auto& ternary = throughput(found, "pactrain-0.5-ternary");
  EXPECT_NEAR(*ternary.of_runs->low, 3.4 / 0.6, 1e-9);
  EXPECT_NEAR(*ternary.of_runs->high, 3.8 / 0.5, 1e-9);
  EXPECT_EQ(testing::first_schema_error(reproduction_schema(), to_json(found)), "");
}

TEST(SeveralRuns, OfOneSettingOfWhichOneIsAloneHaveNoRange) {
  const auto found = reproduced(named({made_run(composed(), figure_5())}));
  EXPECT_FALSE(throughput(found, "pactrain-0.5-ternary").of_runs.has_value());
}

TEST(ModeCompose, DecidesNothingWithWorkersThatOverslept) {
  auto run = made_run(composed(), figure_5());
  cells_of(run, "pactrain-0.5-ternary")[0]->late_s = 0.04;
  const auto found = reproduced(named({run}));
  const auto& ternary = throughput(found, "pactrain-0.5-ternary");
  EXPECT_THAT(words_of(ternary.not_counted), HasSubstr("overslept for 6.67 % of a step"));
  EXPECT_THAT(throughput(found, "pactrain-0.5").not_counted, IsEmpty());
  cells_of(run, "pactrain-0.5-ternary")[0]->late_s = 0.02;
  const auto little = reproduced(named({run}));
  EXPECT_THAT(throughput(little, "pactrain-0.5-ternary").not_counted, IsEmpty());
}

}  // namespace
}  // namespace pacbench::reproduce::several_runs_test
