#include "analysis/report/report.h"
#include "tests/unit/analysis/report/example_run.h"
#include "tests/unit/contract/matchers.h"
#include "tests/unit/contract/refusals.h"

namespace pacbench::report {
namespace {

RunResult with_learning_rate(double rate) {
  auto run = example_run();
  run.scenario["workload"]["optimizer"] = {{"lr", rate}};
  run.comparison_hash = std::string(63, 'a') + std::to_string(rate).substr(2, 1);
  return run;
}

RunResult in_mode_learn() {
  auto run = example_run_in(Mode::kLearn);
  run.scenario["name"] = "curves";
  run.comparison_hash = std::string(64, 'b');
  return run;
}

RunResult of_seeds_from(std::int64_t first) {
  auto run = example_run();
  for (auto& each : run.cells) each.seed += first - 1;
  return run;
}

std::string refusal(const std::vector<store::NamedResult>& runs) {
  return testing::refusal_words<Incomparable>([&] { merge_by_workload(runs); });
}

std::vector<std::string> titles(const Report& report) {
  std::vector<std::string> all;
  for (const auto& section : report.sections) all.push_back(section.title);
  return all;
}

TEST(Sections, MergeRunsOfOneWorkload) {
  const auto report =
      build_report(merge_by_workload({{"a", example_run()}, {"b", of_seeds_from(4)}}));
  ASSERT_EQ(report.sections.size(), 1U);
  EXPECT_THAT(report.sections[0].seeds, ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_THAT(report.sections[0].files, ElementsAre("a", "b"));
  EXPECT_EQ(report.sections[0].title, "mlp hidden [512,512] on digits");
}

/// A run of all-reduce and of one other method, `slower` times as slow as the example.
RunResult of_two_methods(const std::string& label, double slower) {
  auto run = example_run();
  std::erase_if(run.cells, [](const CellResult& each) {
    return each.label != "all-reduce" && each.label != "fp16";
  });
  run.scenario["methods"] = {{{"name", "all-reduce"}, {"label", "all-reduce"}},
                             {{"name", "fp16"}, {"label", label}}};
  for (auto& each : run.cells) {
    if (each.label == "fp16") each.label = label;
    each.time_per_iteration_s *= slower;
    for (auto& target : each.targets) {
      if (target.tta_s) *target.tta_s *= slower;
    }
  }
  return run;
}

TEST(Sections, HoldARowAgainstTheBaselineOfItsOwnRun) {
  const auto alone = build_report(merge_by_workload({{"x/result.json", of_two_methods("a", 1)}}));
  const auto both = build_report(merge_by_workload(
      {{"x/result.json", of_two_methods("a", 1)}, {"y/result.json", of_two_methods("b", 3)}}));
  const auto& rows = both.sections.at(0).links.at(0).rows;
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0].run, "x + y");
  EXPECT_EQ(rows[1].run, "x");
  EXPECT_EQ(rows[2].run, "y");
  const auto speed_up =
      alone.sections.at(0).links.at(0).rows.at(1).targets.at(0).speed_up_all_reduce;
  EXPECT_DOUBLE_EQ(rows[1].targets.at(0).speed_up_all_reduce->value, speed_up->value);
  EXPECT_DOUBLE_EQ(rows[2].targets.at(0).speed_up_all_reduce->value, speed_up->value);
  EXPECT_THAT(render_summary(both), HasSubstr("run: the run that measured a row"));
  EXPECT_THAT(render_summary(alone), Not(HasSubstr("the run that measured a row")));
}

TEST(Sections, AreOneForEachRunWhereRunsShareNoTarget) {
  auto other = of_seeds_from(4);
  other.scenario["name"] = "nearer";
  other.scenario["targets"]["accuracy"] = {0.5};
  for (auto& each : other.cells) {
    for (auto& target : each.targets) target.target.value = 0.5;
  }
  const auto report = build_report(merge_by_workload({{"a", example_run()}, {"b", other}}));
  EXPECT_THAT(titles(report),
              ElementsAre(HasSubstr(" · " + report.sections.at(0).name), HasSubstr(" · nearer")));
  other.scenario["targets"]["accuracy"] = {0.5, 0.95};
  const auto joined = build_report(merge_by_workload({{"a", example_run()}, {"b/r", other}}));
  ASSERT_EQ(joined.sections.size(), 1U);
  EXPECT_THAT(joined.sections[0].notes, Contains(HasSubstr("looked for 50 %")));
}

TEST(Sections, SayThatMeasuredLinksWereNotShaped) {
  const auto note = [](const RunResult& run) { return report_of(run).sections[0].notes.front(); };
  auto run = example_run();
  EXPECT_EQ(note(run), "mode emulate: real training processes, real packets over shaped links");
  run.scenario["network"]["links"][0]["measured"] = true;
  EXPECT_THAT(note(run), HasSubstr("over the hosts' own links, which were not shaped"));
  run.mode = Mode::kCompose;
  run.scenario["compose"] = {{"profile", {{"hardware", "a machine"}, {"source", "measured"}}}};
  EXPECT_THAT(note(run), HasSubstr("real exchanges over the hosts' own links"));
  auto shaped = run.scenario["network"]["links"][0];
  shaped["name"] = "shaped";
  shaped.erase("measured");
  run.scenario["network"]["links"].push_back(shaped);
  EXPECT_THAT(note(run), HasSubstr("over shaped links, and over the hosts' own links"));
}

TEST(Sections, KeepModesApartAndSayWhichIsWhichInEveryFormat) {
  const auto report = build_report(
      merge_by_workload({{"a", example_run()}, {"b", in_mode_learn()}, {"c", of_seeds_from(4)}}));
  EXPECT_EQ(report.name, "wan100 + curves");
  EXPECT_THAT(titles(report), ElementsAre("mlp hidden [512,512] on digits · mode emulate",
                                          "mlp hidden [512,512] on digits · mode learn"));
  EXPECT_THAT(render_text(report), HasSubstr("mlp hidden [512,512] on digits · mode learn\n═══"));
  EXPECT_THAT(render_markdown(report),
              AllOf(HasSubstr("\n## mlp hidden \\[512,512\\] on digits · mode emulate\n"),
                    HasSubstr("\n### Link 100Mbps")));
  const auto learned = to_json(report)["sections"][1];
  EXPECT_EQ(learned["mode"], "learn");
  EXPECT_EQ(learned["files"], Json::array({"b"}));
  EXPECT_TRUE(learned["links"][0]["rows"][0]["compute_s"].is_null());
}

TEST(Sections, KeepWorkloadsApartByWhatDiffers) {
  const auto report = build_report(
      merge_by_workload({{"a", with_learning_rate(0.1)}, {"b", with_learning_rate(0.2)}}));
  EXPECT_THAT(titles(report), ElementsAre("mlp hidden [512,512] on digits · optimizer/lr 0.1",
                                          "mlp hidden [512,512] on digits · optimizer/lr 0.2"));
}

TEST(Sections, AreRefusedForWorkloadsOverOtherNetworks) {
  auto other = with_learning_rate(0.2);
  other.scenario["network"]["mtu"] = 9000;
  EXPECT_THAT(refusal({{"l", in_mode_learn()}, {"a", with_learning_rate(0.1)}, {"b", other}}),
              HasSubstr("b: /network/mtu: found 9000 (a number), but 1500 (a number) in a: these"));
}

TEST(Sections, OfModeLearnNeedNoNetworkButAsManyWorkers) {
  auto learned = in_mode_learn();
  EXPECT_EQ(refusal({{"a", example_run()}, {"b", learned}}), "");
  learned.scenario["workers"] = 4;
  EXPECT_THAT(refusal({{"a", example_run()}, {"b", learned}}), HasSubstr("b: /workers: found 4"));
}

std::string merge_error(const std::vector<store::NamedResult>& runs) {
  return testing::refusal_words([&] { merge_runs(runs); });
}

TEST(Merge, RefusesOneLabelForTwoMethodsAndNamesTheRunThatHasTheOtherOptions) {
  auto first = example_run();
  auto& methods = first.scenario["methods"];
  methods.erase(methods.begin() + 2);
  auto other = of_seeds_from(7);
  other.scenario["methods"][2]["ratio"] = 0.2;
  EXPECT_THAT(merge_error({{"a", first}, {"b", of_seeds_from(4)}, {"c", other}}),
              HasSubstr("c: /scenario/methods: method \"topk-0.1\" has other options than in b;"));
}

TEST(Merge, SaysThatSharesOfAllReduceAreNoTargetsYet) {
  auto run = example_run();
  run.scenario["targets"] = Json::object();
  EXPECT_THAT(merge_error({{"half", run}}), AllOf(HasSubstr("half"), HasSubstr("--resume")));
}

TEST(Merge, KeepsTheTargetsThatAllRunsLookedFor) {
  auto other = of_seeds_from(4);
  other.scenario["targets"]["accuracy"] = {0.95, 0.99};
  const auto merged = merge_runs({{"a", example_run()}, {"b", other}}).result;
  EXPECT_EQ(merged.scenario["targets"]["accuracy"], Json::array({0.95}));
  other.scenario["targets"]["accuracy"] = {0.99};
  EXPECT_THAT(merge_error({{"a", example_run()}, {"b", other}, {"c", of_seeds_from(7)}}),
              HasSubstr("b: /scenario/targets: found no target that all runs from a to"));
}

}  // namespace
}  // namespace pacbench::report
