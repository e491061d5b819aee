// What reports say of runs in mode compose, and of times that are not those of the clock.
#include "analysis/report/report.h"
#include "tests/unit/analysis/report/example_run.h"
#include "tests/unit/contract/matchers.h"
#include "tests/unit/contract/schema_check.h"

namespace pacbench::report {
namespace {

RunResult without_curve() {
  auto run = example_run_in(Mode::kCompose);
  run.scenario["compose"]["curve"] = "";
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
  EXPECT_THAT(render_text(report_of(example_run_in(Mode::kCompose))), HasSubstr("to 90 %"));
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
  auto run = example_run_in(Mode::kCompose);
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

RunResult composed(const std::string& exchange, const Json& assumption = {}) {
  auto run = example_run_in(Mode::kCompose);
  run.scenario["compose"]["exchange"] = exchange;
  if (!assumption.is_null()) run.scenario["compose"]["profile"]["assumption"] = assumption;
  return run;
}

/// The run with a last method that prunes.
RunResult pruning(RunResult run, double kept_fraction) {
  auto& method = run.scenario["methods"].back();
  method["pruning_ratio"] = 0.5;
  for (auto& each : run.cells) {
    if (each.label == method["label"]) each.kept_fraction = kept_fraction;
  }
  return run;
}

std::vector<std::string> notes(const RunResult& run) { return report_of(run).sections[0].notes; }

TEST(ReplayedExchanges, AreSaidToShortenTimesInEveryFormat) {
  const auto report = report_of(pruning(composed("profile"), 1));
  for (const auto& text : {render_text(report, 4000), render_markdown(report), render_csv(report),
                           to_json(report).dump()}) {
    EXPECT_THAT(text, AllOf(HasSubstr("shorter than emulated ones"), HasSubstr("0.80 to 0.86"),
                            HasSubstr("docs/fidelity/compose.md")));
  }
  EXPECT_THAT(render_latex(report), HasSubstr("shorter than emulated ones"));
  EXPECT_THAT(notes(composed("here")), Not(Contains(HasSubstr("shorter than emulated ones"))));
}

TEST(ReplayedExchanges, WithPruningOnTheClockShortenTimesByLess) {
  const auto said = notes(pruning(composed("profile"), 0.5));
  EXPECT_THAT(said, Contains(AllOf(HasSubstr("0.94 to 1.03"), Not(HasSubstr("0.80 to 0.95")))));
  EXPECT_THAT(said, Contains(HasSubstr("CPU of the run that gave the curves")));
  EXPECT_THAT(notes(pruning(composed("profile", {{"compute_factor", 0.25}}), 0.5)),
              Contains(HasSubstr("run that gave the curves × 0.25")));
  EXPECT_THAT(notes(pruning(composed("profile"), 1)),
              Contains(HasSubstr("no time includes pruning")))
      << "an earlier pacbench left it out";
}

TEST(SlowWorkers, AreNamedWithWhatSlowsThem) {
  const auto said = [](const char* traits) {
    auto run = composed("here");
    run.scenario["slow_workers"] = Json::array({Json::parse(traits)});
    return notes(run)[0];
  };
  EXPECT_THAT(said(R"({"worker": 1, "start_delay_s": 3})"),
              HasSubstr("purpose: it began 3 s after the others (slow_workers)"));
  EXPECT_THAT(said(R"({"worker": 1, "compute_factor": 2, "start_delay_s": 3})"),
              HasSubstr("its forward and backward took 2 times as long, it began 3 s after"));
}

TEST(Report, SaysWhenTimeRanSlowerThanTheClock) {
  auto run = example_run();
  EXPECT_THAT(render_text(report_of(run)), Not(HasSubstr("Emulated time")));
  run.scenario["time_dilation"] = 4;
  run.scenario["worker_speed"] = 2;
  EXPECT_THAT(render_text(report_of(run)),
              AllOf(HasSubstr("4 × slower"), HasSubstr("1 s below took 4 s"),
                    HasSubstr("workers computed 2 × as fast")));
}

}  // namespace
}  // namespace pacbench::report
