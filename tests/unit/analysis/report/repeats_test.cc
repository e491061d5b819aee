// Several runs of the same cells: the report shows the middle run, and the range over all runs.
#include <algorithm>

#include "analysis/report/merge.h"
#include "analysis/report/report.h"
#include "tests/unit/analysis/report/example_run.h"
#include "tests/unit/contract/matchers.h"
#include "tests/unit/contract/schema_check.h"

namespace pacbench::report {
namespace {

/// The example run with one seed and all times multiplied by `factor`.
RunResult run_at(double factor) {
  auto run = example_run();
  std::erase_if(run.cells, [](const CellResult& each) { return each.seed != 1; });
  for (auto& each : run.cells) {
    each.time_per_iteration_s *= factor;
    for (auto& target : each.targets) {
      if (target.tta_s) *target.tta_s *= factor;
    }
  }
  return run;
}

RunResult suspect_at(double factor) {
  auto run = run_at(factor);
  for (auto& each : run.cells) each.link_verdict = {"suspect", {"for a reason"}};
  return run;
}

MergedRuns three_runs() {
  return merge_runs({{"a/result.json", run_at(1.2)},
                     {"b/result.json", run_at(1)},
                     {"c/result.json", run_at(1.1)}});
}

const ReportRow& row_of(const Report& report, const std::string& label) {
  const auto& rows = report.sections.at(0).links.at(0).rows;
  return *std::find_if(rows.begin(), rows.end(),
                       [&](const ReportRow& row) { return row.label == label; });
}

double step_s(RunResult run, const std::string& label) {
  return cell(run, label, 1).time_per_iteration_s;
}

TEST(SeveralRuns, OfACellLeaveTheOneInTheMiddle) {
  const auto merged = three_runs();
  EXPECT_EQ(merged.result.cells.size(), run_at(1).cells.size());
  EXPECT_EQ(merged.repeats.size(), 3 * run_at(1).cells.size());
  EXPECT_DOUBLE_EQ(step_s(merged.result, "fp16"), step_s(run_at(1.1), "fp16"));
  const auto one = merge_runs({{"a", run_at(1)}, {"b", run_at(2)}});
  const auto other = merge_runs({{"b", run_at(2)}, {"a", run_at(1)}});
  EXPECT_EQ(to_json(one.result), to_json(other.result)) << "in whatever order they are given";
}

TEST(SeveralRuns, HaveTheRangeBetweenThemBesideTheOneThatStands) {
  const auto report = build_report({three_runs()});
  const auto& row = row_of(report, "all-reduce");
  const auto shortest_s = step_s(run_at(1), "all-reduce");
  EXPECT_EQ(row.runs, 3);
  EXPECT_DOUBLE_EQ(row.time_of_runs_s->low_s, shortest_s);
  EXPECT_DOUBLE_EQ(row.time_of_runs_s->high_s, 1.2 * shortest_s);
  const auto& target = row.targets.front();
  EXPECT_NEAR(target.tta_of_runs_s->high_s / target.tta_of_runs_s->low_s, 1.2, 1e-12);
  EXPECT_EQ(testing::first_schema_error(report_schema(), to_json(report)), "");
}

TEST(SeveralRuns, AreToldInEveryFormat) {
  const auto report = build_report({three_runs()});
  for (const auto& text :
       {render_text(report, 4000), render_markdown(report), render_latex(report)}) {
    EXPECT_THAT(text, AllOf(HasSubstr("range of runs"), HasSubstr("3 runs")));
  }
  EXPECT_THAT(render_csv(report), HasSubstr("time_of_runs_s_low"));
}

TEST(OneRun, HasNoRangeBetweenRuns) {
  const auto report = build_report({merge_runs({{"a/result.json", run_at(1)}})});
  EXPECT_EQ(row_of(report, "fp16").runs, 1);
  EXPECT_FALSE(row_of(report, "fp16").time_of_runs_s);
  EXPECT_THAT(render_text(report, 4000), Not(HasSubstr("range of runs")));
}

TEST(SeveralRuns, OfWhichOneWasOverLinksThatWereNotAsDeclaredLeaveItOut) {
  const auto report =
      build_report({merge_runs({{"a", suspect_at(0.5)}, {"b", run_at(1)}, {"c", run_at(1.1)}})});
  const auto& row = row_of(report, "fp16");
  EXPECT_EQ(row.runs, 2);
  EXPECT_FALSE(row.suspect);
  EXPECT_DOUBLE_EQ(row.time_of_runs_s->low_s, step_s(run_at(1), "fp16"));
}

TEST(SeveralRuns, OfWhichNoneIsSoundStandAsTheFirst) {
  const auto report = build_report({merge_runs({{"a", suspect_at(1)}, {"b", suspect_at(2)}})});
  EXPECT_TRUE(row_of(report, "fp16").suspect);
  EXPECT_FALSE(row_of(report, "fp16").time_of_runs_s);
}

TEST(SeveralRuns, InModeLearnAreOneTooMany) {
  auto run = run_at(1);
  run.mode = Mode::kLearn;
  EXPECT_THROW(merge_runs({{"a", run}, {"b", run}}), ConfigError);
}

}  // namespace
}  // namespace pacbench::report
