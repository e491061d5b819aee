#include "analysis/report/report.h"

#include "tests/unit/analysis/report/example_run.h"
#include "tests/unit/contract/matchers.h"

namespace pacbench::report {
namespace {

const ReportRow& row(const Report& report, const std::string& label) {
  for (const auto& candidate : report.sections.at(0).links.at(0).rows) {
    if (candidate.label == label) return candidate;
  }
  throw std::out_of_range{label};
}

TEST(Report, HoldsMethodsAgainstBothBaselines) {
  const auto report = report_of(example_run());
  const auto& ternary = row(report, "pactrain-0.5-ternary").targets[0];
  EXPECT_NEAR(ternary.speed_up_all_reduce->value, 24 * 0.210 / (30 * 0.055), 1e-9);
  EXPECT_NEAR(ternary.speed_up_fp16->value, 24 * 0.118 / (30 * 0.055), 1e-9);
  EXPECT_EQ(row(report, "all-reduce").targets[0].speed_up_all_reduce->value, 1.0);
  EXPECT_FALSE(row(report, "topk-0.01").targets[2].speed_up_all_reduce);
}

TEST(Report, SaysWhatTheWorstProbeOfALinkCarried) {
  auto run = example_run();
  EXPECT_THAT(render_text(report_of(run)), Not(HasSubstr("Probes before and after")));
  cell(run, "fp16", 1).link_probe = 0.975;
  cell(run, "fp16", 2).link_probe = 1.01;
  EXPECT_EQ(report_of(run).sections.at(0).links.at(0).probe, 0.975);
  EXPECT_THAT(render_text(report_of(run), 400), HasSubstr("worst flow had 97.5 % of the goodput"));
}

TEST(Report, SaysWhenAPruningMethodHasWonItsTimeBack) {
  auto run = example_run();
  for (const std::int64_t seed : {1, 2, 3}) {
    auto& pruned = cell(run, "pactrain-0.5-ternary", seed);
    pruned.training_s += 2;
    pruned.compacted_from = 21;
    pruned.dense_share = 0.125;
    pruned.mask_sample = seed == 1 ? "0f" : "3c";
  }
  const auto text = render_text(report_of(run), 2000);
  // 2 s have to be won back. An iteration wins (0.210 - 0.055) · 1.05 s against all-reduce, and
  // (0.118 - 0.055) · 1.05 s against fp16.
  EXPECT_THAT(text,
              AllOf(HasSubstr("2.00 s of its time are beyond median steps"),
                    HasSubstr("all-reduce after 13 iterations, against fp16 after 31 iterations"),
                    HasSubstr("compacted in iteration 21; 12.5 % of exchanges"),
                    HasSubstr("masks of two seeds share 0.33 of")));
  cell(run, "pactrain-0.5-ternary", 1).status = CellStatus::kFailed;
  EXPECT_EQ(*row(report_of(run), "pactrain-0.5-ternary").mask_overlap, 1);
}

TEST(Report, SaysNothingOfTimeWonBackAgainstACellThatIsNoMeasure) {
  auto run = example_run();
  cell(run, "all-reduce", 2).link_verdict = {"suspect", {"late"}};
  EXPECT_THAT(render_text(report_of(run), 400),
              AllOf(HasSubstr("won back against fp16"), Not(HasSubstr("back against all-reduce"))));
  cell(run, "fp16", 3).status = CellStatus::kInterrupted;
  EXPECT_THAT(render_text(report_of(run), 400), Not(HasSubstr("won back")));
}

TEST(Report, LetsASuspectCellNeitherWinNorLose) {
  auto run = example_run();
  cell(run, "topk-0.1", 2).link_verdict = {"suspect", {"the probe ran at 91.0 Mbit/s"}};
  auto report = report_of(run);
  EXPECT_FALSE(row(report, "topk-0.1").targets[0].speed_up_all_reduce);
  EXPECT_TRUE(row(report, "topk-0.01").targets[0].speed_up_all_reduce);
  EXPECT_THAT(render_text(report), HasSubstr("topk-0.1 (suspect)"));
  EXPECT_THAT(render_text(report, 400), HasSubstr("the probe ran at 91.0 Mbit/s"));

  cell(run, "all-reduce", 1).link_verdict = {"suspect", {"late"}};
  report = report_of(run);
  EXPECT_FALSE(row(report, "topk-0.01").targets[0].speed_up_all_reduce);
  EXPECT_TRUE(row(report, "topk-0.01").targets[0].speed_up_fp16);
}

TEST(Report, CountsAFailedCellAsDnfAndNamesTheReason) {
  auto run = example_run();
  for (const std::int64_t seed : {1, 2}) {
    cell(run, "topk-0.01", seed).status = CellStatus::kFailed;
    cell(run, "topk-0.01", seed).reason = "the loss is not a number at iteration 7";
  }
  const auto report = report_of(run);
  const auto& failed = row(report, "topk-0.01");
  EXPECT_EQ(failed.targets[0].tta_s.reached, 1);
  EXPECT_EQ(failed.targets[0].tta_s.total, 3);
  EXPECT_FALSE(failed.targets[0].tta_s.median || failed.targets[0].speed_up_all_reduce);
  EXPECT_NEAR(failed.time_per_iteration_s->median, 0.042 * 1.1, 1e-9);
  EXPECT_THAT(render_text(report), HasSubstr("topk-0.01: seed 1 failed: the loss is not a number"));
}

TEST(Report, TakesNoTimesFromUnfinishedCells) {
  auto run = example_run();
  cell(run, "fp16", 3).status = CellStatus::kInterrupted;
  const auto report = report_of(run);
  EXPECT_EQ(row(report, "fp16").targets[0].tta_s.total, 2);
  EXPECT_FALSE(row(report, "topk-0.1").targets[0].speed_up_fp16) << "other seeds than the baseline";
}

TEST(Report, ShowsRowsWithoutAnyDoneCell) {
  auto run = example_run();
  for (auto& each : run.cells) {
    each.status = CellStatus::kSkipped;
    each.reason = "no room";
  }
  EXPECT_THAT(render_text(report_of(run)),
              AllOf(HasSubstr("all-reduce"), HasSubstr("0/0"), Not(HasSubstr("nan"))));
}

TEST(Report, SaysWhatWasRunAndWhatWasNotOnTheClock) {
  const auto text = render_text(report_of(example_run()));
  EXPECT_THAT(text, AllOf(HasSubstr("mlp hidden [512,512] on digits · 8 workers × batch 32"),
                          HasSubstr("seeds 1, 2, 3"), HasSubstr("pre-training took 2.31 s"),
                          HasSubstr("pruning took 0.214 s, on the training clock; 50.0 %"),
                          HasSubstr("DNF")));
}

TEST(Report, LabelsAccuraciesThatAreThoseAtTheStop) {
  auto run = example_run();
  EXPECT_THAT(render_text(report_of(run)), Not(HasSubstr("at stop")));
  cell(run, "fp16", 1).stopped_at_target = true;
  EXPECT_THAT(render_text(report_of(run)), HasSubstr("at stop"));
  EXPECT_THAT(render_summary(report_of(run), 200),
              AllOf(HasSubstr("at stop %"), Not(HasSubstr("final %"))));
}

TEST(Report, WritesMarkdownTablesPerLink) {
  EXPECT_THAT(render_markdown(report_of(example_run())),
              AllOf(HasSubstr("# wan100\n"), HasSubstr("## Link 100Mbps (100 Mbit/s each way"),
                    HasSubstr("| all-reduce | 5.29 |")));
}

}  // namespace
}  // namespace pacbench::report
