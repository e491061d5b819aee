// Mode compose without a curve: the run has times of iterations, but no accuracies.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/report/report.h"
#include "tests/unit/analysis/report/example_run.h"
#include "tests/unit/contract/schema_check.h"

namespace pacbench::report {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

RunResult composed_with(const std::string& curve) {
  auto run = example_run();
  run.mode = Mode::kCompose;
  run.scenario["mode"] = "compose";
  run.scenario["compose"] = {{"profile", {{"hardware", "a machine"}, {"source", "measured"}}},
                             {"curve", curve}};
  return run;
}

RunResult without_curve() {
  auto run = composed_with("");
  for (auto& each : run.cells) {
    for (auto& target : each.targets) target = {target.target, std::nullopt, std::nullopt};
    each.final_accuracy = each.best_accuracy = 0;
  }
  return run;
}

TEST(NoCurve, IsSaidInThePlaceOfTimesToAccuracyInEveryFormat) {
  const auto report = report_of(without_curve());
  for (const auto& text : {render_text(report), render_markdown(report), render_latex(report)}) {
    EXPECT_THAT(text, AllOf(HasSubstr("no curve"), HasSubstr("Time per iteration"),
                            Not(HasSubstr("DNF")), Not(HasSubstr("best"))));
  }
}

TEST(NoCurve, LeavesStepsBesideThoseOfTheBaselinesAndThatOfAnotherRunGivesTimes) {
  // Of all-reduce and of the last method: 210 and 55 ms.
  EXPECT_THAT(render_markdown(report_of(without_curve())), HasSubstr("| 3.82 |"));
  EXPECT_THAT(render_text(report_of(composed_with("results/learned"))), HasSubstr("to 90 %"));
}

TEST(NoCurve, CountsNoSeedTowardsATarget) {
  const auto document = to_json(report_of(without_curve()));
  EXPECT_EQ(testing::first_schema_error(report_schema(), document), "");
  const auto& row = document["sections"][0]["links"][0]["rows"][0];
  EXPECT_EQ(row["targets"][0]["tta_s"]["total"], 0);
  EXPECT_TRUE(row["final_accuracy"].is_null());
  EXPECT_GT(row["iterations_run"]["median"], 0);
}

TEST(ComposedSteps, AreNotGivenWhereTheyContradictTheTimesThatAreComposed) {
  auto run = composed_with("results/learned");
  for (const std::int64_t seed : {1, 2, 3}) {
    cell(run, "fp16", seed).time_per_iteration_s *= 20;  // a warm-up alone was exchanged
  }
  const auto report = report_of(run);
  const double every = run.scenario["workload"].value("evaluate_every", 1);
  for (const auto& row : report.sections[0].links[0].rows) {
    EXPECT_EQ(row.step_is_other, row.label == "fp16") << row.label;
    if (row.step_is_other) {
      EXPECT_FALSE(row.time_per_iteration_s);
      EXPECT_TRUE(row.targets[0].tta_s.median);
      EXPECT_THAT(row.notes.back(), HasSubstr("others than those of the training"));
      continue;
    }
    for (const auto& target : row.targets) {
      if (!target.beyond_s.minimum) continue;
      EXPECT_GE(*target.beyond_s.minimum, -every * row.time_per_iteration_s->maximum) << row.label;
    }
  }
}

}  // namespace
}  // namespace pacbench::report
