#include "analysis/report/scaling.h"

#include "tests/unit/analysis/report/example_run.h"
#include "tests/unit/contract/matchers.h"
#include "tests/unit/contract/schema_check.h"

namespace pacbench::report {
namespace {

/// A run in mode simulate whose mean step takes `step_s`.
RunResult simulated(int workers, double step_s) {
  auto run = example_run_in(Mode::kSimulate);
  run.scenario["workers"] = workers;
  run.scenario["compose"].erase("curve");
  run.comparison_hash = std::to_string(workers) + std::string(60, 'c');
  for (auto& each : run.cells) {
    each.pruning_s = 0;
    each.training_s = static_cast<double>(each.iterations) * step_s;
    // Most steps exchange nothing, so the median step says nothing about scaling.
    each.time_per_iteration_s = step_s / 10;
    each.samples_per_s = 32 * workers / each.time_per_iteration_s;
    each.busiest_link_bytes_per_iteration = 1e6;
  }
  return run;
}

Report report_of_both() {
  return build_report(merge_by_workload({{"a", simulated(64, 0.4)}, {"b", simulated(8, 0.2)}}));
}

TEST(Scaling, HoldsEachNumberOfWorkersAgainstTheFewest) {
  const auto first = scaling(report_of_both().sections).at(0);
  EXPECT_EQ(first.topology, "star");
  ASSERT_EQ(first.points.size(), 2u);
  EXPECT_EQ(first.points[0].workers, 8);
  EXPECT_DOUBLE_EQ(first.points[0].efficiency, 1);
  EXPECT_EQ(first.points[1].workers, 64);
  EXPECT_DOUBLE_EQ(first.points[1].speed_up, 4);
  EXPECT_DOUBLE_EQ(first.points[1].efficiency, 0.5);
}

TEST(Scaling, StandsBelowTheSectionsOfEachNumberOfWhichTheLargeIsAnExtrapolation) {
  const auto report = report_of_both();
  EXPECT_EQ(report.sections.size(), 2u);
  EXPECT_THAT(report.sections[0].title, HasSubstr("64 workers"));
  EXPECT_THAT(report.sections[0].notes.front(), HasSubstr("an extrapolation"));
  EXPECT_THAT(report.sections[1].notes.front(), ::testing::Not(HasSubstr("an extrapolation")));
  EXPECT_THAT(render_text(report), HasSubstr("Simulated scaling"));
  EXPECT_THAT(render_markdown(report), HasSubstr("Simulated scaling"));
  EXPECT_THAT(render_latex(report), HasSubstr("\\textbf{Simulated scaling"));
  EXPECT_EQ(testing::first_schema_error(report_schema(), to_json(report)), "");
}

TEST(Scaling, KeepsWorkloadsAndRatesApart) {
  std::vector<store::NamedResult> runs{{"a", simulated(8, 0.2)}, {"b", simulated(64, 0.4)}};
  for (const int workers : {8, 64}) {
    auto of_another_model = simulated(workers, 0.6);
    of_another_model.scenario["workload"]["model"] = {{"name", "resnet8"}};
    of_another_model.comparison_hash.back() = 'm';
    runs.push_back({"m" + std::to_string(workers), of_another_model});
    auto at_another_rate = simulated(workers, 0.1);
    at_another_rate.scenario["network"]["links"][0]["rate_mbit"] = 50.0;
    at_another_rate.comparison_hash.back() = 'r';
    runs.push_back({"r" + std::to_string(workers), at_another_rate});
  }
  const auto report = build_report(merge_by_workload(runs));
  std::vector<double> of_all_reduce;
  for (const auto& series : scaling(report.sections)) {
    if (series.label != "all-reduce") continue;
    ASSERT_EQ(series.points.size(), 2u);
    of_all_reduce.push_back(series.points[0].mean_iteration_s);
    of_all_reduce.push_back(series.points[1].mean_iteration_s);
  }
  EXPECT_THAT(of_all_reduce,
              ::testing::Pointwise(::testing::DoubleEq(), {0.2, 0.4, 0.6, 0.6, 0.1, 0.1}));
  const auto text = render_markdown(report);
  EXPECT_THAT(text.substr(text.find("Simulated scaling")),
              ::testing::AllOf(HasSubstr("resnet8 on"), HasSubstr("| 50 |")));
  EXPECT_EQ(testing::first_schema_error(report_schema(), to_json(report)), "");
}

TEST(Scaling, TakesOtherBatchesOfMoreWorkersIntoOneSeries) {
  auto more = simulated(64, 0.4);
  more.scenario["workload"]["batch_per_worker"] = 4;
  const auto report = build_report(merge_by_workload({{"a", simulated(8, 0.2)}, {"b", more}}));
  EXPECT_EQ(scaling(report.sections).front().points.size(), 2u);
}

TEST(Scaling, IsOfSeveralNumbersOfWorkersAlone) {
  const auto one = build_report(merge_by_workload({{"a", simulated(8, 0.2)}}));
  EXPECT_TRUE(scaling(one.sections).empty());
  EXPECT_TRUE(scaling(report_of(example_run()).sections).empty());
  EXPECT_THROW(merge_by_workload({{"a", simulated(64, 0.4)}, {"b", example_run()}}), Incomparable);
}

}  // namespace
}  // namespace pacbench::report
