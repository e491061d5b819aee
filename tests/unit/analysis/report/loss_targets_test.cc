// A run with targets of test loss, in every format of a report.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/report/report.h"
#include "analysis/report/summary.h"
#include "tests/unit/analysis/report/example_run.h"
#include "tests/unit/contract/schema_check.h"

namespace pacbench::report {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

/// The example run with losses of 2 and 1.8 as targets in place of 95 and 97 %.
RunResult run_of_losses() {
  auto run = example_run();
  run.scenario["targets"] = {{"accuracy", {0.9}}, {"loss", {2.0, 1.8}}};
  for (auto& cell : run.cells) {
    cell.targets[1].target = {kLoss, 2.0};
    cell.targets[2].target = {kLoss, 1.8};
  }
  return run;
}

TEST(LossTargets, HeadTheColumnsBesideAccuracies) {
  const auto report = report_of(run_of_losses());
  for (const auto& text : {render_text(report), render_markdown(report)}) {
    EXPECT_THAT(text, AllOf(HasSubstr("to 90 %"), HasSubstr("to loss 2"), HasSubstr("to loss 1.8"),
                            Not(HasSubstr("97 %"))));
  }
  EXPECT_THAT(render_latex(report), HasSubstr("to loss 1.8"));
  EXPECT_THAT(render_text(report), HasSubstr("DNF at loss 1.8")) << "a diagnosis";
}

TEST(LossTargets, HaveTheTimesAndSpeedUpsOfTheirOwn) {
  const auto of_losses = report_of(run_of_losses());
  const auto of_accuracies = report_of(example_run());
  const auto& rows = of_losses.sections.at(0).links.at(0).rows;
  const auto& expected = of_accuracies.sections.at(0).links.at(0).rows;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(rows[row].targets[i].tta_s.median, expected[row].targets[i].tta_s.median);
      EXPECT_EQ(rows[row].targets[i].iterations.reached,
                expected[row].targets[i].iterations.reached);
    }
  }
}

TEST(LossTargets, AreNamedInJsonAndInCsv) {
  const auto report = report_of(run_of_losses());
  const auto document = to_json(report);
  EXPECT_EQ(testing::first_schema_error(report_schema(), document), "");
  const auto& targets = document["sections"][0]["links"][0]["rows"][0]["targets"];
  EXPECT_EQ(targets[0]["accuracy"], 0.9);
  EXPECT_EQ(targets[2]["loss"], 1.8);
  EXPECT_FALSE(targets[2].contains("accuracy"));
  EXPECT_THAT(render_csv(report), HasSubstr(",loss,1.8,"));
}

TEST(LossTargets, ShowWhereTheLossEnded) {
  auto run = run_of_losses();
  for (auto& cell : run.cells) {
    cell.final_loss = 1.875;
    cell.best_loss = 1.625;
  }
  EXPECT_THAT(render_text(report_of(run)), AllOf(HasSubstr("1.88"), HasSubstr("1.62")));
  EXPECT_THAT(render_text(report_of(example_run())), Not(HasSubstr("loss")));
}

TEST(LossTargets, OfProgramsThatTellLossesAloneHaveNoAccuracyBesideThem) {
  auto run = run_of_losses();
  run.scenario["targets"] = {{"loss", {2.0, 1.8}}};
  for (auto& cell : run.cells) {
    cell.targets.erase(cell.targets.begin());
    cell.final_accuracy = cell.best_accuracy = std::nullopt;
    cell.final_loss = 1.875;
    cell.best_loss = 1.625;
  }
  const auto report = report_of(run);
  for (const auto& text : {render_text(report), render_markdown(report), render_summary(report)}) {
    EXPECT_THAT(text, AllOf(HasSubstr("1.88"), Not(HasSubstr("final %")),
                            Not(HasSubstr("accuracy %")), Not(HasSubstr("best accuracy"))));
  }
  const auto document = to_json(report);
  EXPECT_EQ(testing::first_schema_error(report_schema(), document), "");
  EXPECT_TRUE(document["sections"][0]["links"][0]["rows"][0]["final_accuracy"].is_null());
}

}  // namespace
}  // namespace pacbench::report
