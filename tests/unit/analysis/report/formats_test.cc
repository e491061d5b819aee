#include <cstdlib>

#include "analysis/report/report.h"
#include "analysis/report/section_contents.h"
#include "analysis/report/words.h"
#include "base/files.h"
#include "base/subprocess.h"
#include "tests/unit/analysis/report/example_run.h"
#include "tests/unit/contract/matchers.h"
#include "tests/unit/contract/schema_check.h"

namespace pacbench::report {
namespace {

RunResult with_seeds(int count) {
  auto run = example_run();
  const auto three = run.cells;
  for (int more = 3; more < count; ++more) {
    for (auto each : three) {
      if (each.seed != 1) continue;
      each.seed = more + 1;
      run.cells.push_back(each);
    }
  }
  return run;
}

TEST(Footnotes, ThatSeveralRowsHaveAreThereOnce) {
  LinkReport link;
  link.rows.resize(3);
  link.rows[0].label = "all-reduce";
  link.rows[0].notes = {"slow probe"};
  link.rows[1].label = "fp16";
  link.rows[1].notes = {"cpu-bound", "slow probe"};
  const Footnotes footnotes{link};
  EXPECT_THAT(footnotes.texts(),
              ::testing::ElementsAre("all-reduce, fp16: slow probe", "fp16: cpu-bound"));
  EXPECT_EQ(footnotes.references(link.rows[0]), "1");
  EXPECT_EQ(footnotes.references(link.rows[1]), "2, 1");
  EXPECT_EQ(footnotes.references(link.rows[2]), "");
}

TEST(Latex, EscapesEveryCharacterThatMeansSomethingToIt) {
  EXPECT_EQ(latex_text("50 % of a_b & c#d $x^2~ {\\y}"),
            "50 \\% of a\\_b \\& c\\#d \\$x\\textasciicircum{}2\\textasciitilde{} "
            "\\{\\textbackslash{}y\\}");
  EXPECT_EQ(latex_text("a--b 4 × – —"), "a-{}-{}b 4 $\\times$ -- ---");
  EXPECT_EQ(latex_text("\u4e2d \xff\xe2\x82 \x01"), "\\texttt{U+4E2D} ??? \x20");
}

TEST(Latex, WritesTheSentenceOfALinkAboveTablesWithBooktabs) {
  const auto text = render_latex(report_of(example_run()));
  EXPECT_THAT(text, AllOf(HasSubstr("\\cmidrule(lr){2-8}"), HasSubstr("topk-{}0.1 & 4.56"),
                          Not(HasSubstr("×"))));
  EXPECT_LT(text.find("\\textbf{Fastest of 6 methods to 97 \\%: pactrain-{}0.5-{}ternary"),
            text.find("\\toprule"));
}

TEST(Latex, HasATableForAPaperWhoseCaptionSaysHowItWasMeasured) {
  const auto text = render_latex_tables(report_of(example_run()), "9.8.7");
  EXPECT_THAT(text, AllOf(Not(HasSubstr("\\documentclass")), HasSubstr("\\caption{"),
                          HasSubstr("seeds 1, 2, 3"), HasSubstr("100 Mbit/s each way"),
                          HasSubstr("pacbench 9.8.7, mode emulate"), HasSubstr("\\label{tab:")));
}

TEST(Latex, CompilesWhateverANameHolds) {
  if (std::system("command -v pdflatex >/dev/null") != 0)
    GTEST_SKIP() << "pdflatex is not installed";
  auto run = with_seeds(7);
  run.scenario["name"] = "\\input{/etc/passwd} $ ~ ^ _ % # & { } \u4e2d \xff [*] \"x\"";
  cell(run, "fp16", 1).status = CellStatus::kFailed;
  cell(run, "fp16", 1).reason = "\\end{document} 100 % & _";
  const TemporaryFolder folder;
  const auto report = report_of(run);
  const auto paper =
      "\\documentclass{article}\\usepackage{booktabs,graphicx,textcomp}\\begin{document}\n" +
      render_latex_tables(report, "9.8.7") + "\\end{document}\n";
  for (const auto& document : {render_latex(report), paper}) {
    write_file_atomically(folder.path() + "/report.tex", document);
    run_checked({"pdflatex", "-interaction=nonstopmode", "-halt-on-error", "-output-directory",
                 folder.path(), folder.path() + "/report.tex"});
    EXPECT_EQ(read_file(folder.path() + "/report.pdf").substr(0, 4), "%PDF");
  }
}

TEST(ReportDocument, IsWhatItsSchemaSays) {
  EXPECT_EQ(testing::first_schema_error(report_schema(), to_json(report_of(example_run()))), "");
  EXPECT_EQ(testing::first_schema_error(report_schema(), to_json(report_of(with_seeds(7)))), "");
  auto document = to_json(report_of(example_run()));
  auto& rows = document["sections"][0]["links"][0]["rows"];
  EXPECT_DOUBLE_EQ(rows[1]["targets"][2]["tta_s"]["median"], 87 * 0.118 * 1.05) << "one misses";
  EXPECT_TRUE(rows[3]["targets"][2]["tta_s"]["median"].is_null());
  rows[0]["extra"] = 1;
  EXPECT_NE(testing::first_schema_error(report_schema(), document), "");
}

TEST(ReportDocument, HoldsTheIntervalOfTheMedianWhereThereAreSeedsForOne) {
  const auto three = to_json(report_of(example_run()))["sections"][0]["links"][0]["rows"][0];
  EXPECT_TRUE(three["targets"][0]["tta_interval_s"].is_null());
  const auto report = report_of(with_seeds(7));
  const auto seven = to_json(report)["sections"][0]["links"][0]["rows"][0];
  EXPECT_GE(seven["targets"][0]["tta_interval_s"]["coverage"], 0.95);
  EXPECT_THAT(render_text(report, 400), HasSubstr("95 %: confidence interval of the median"));
  EXPECT_THAT(render_text(report_of(example_run()), 400), HasSubstr("too few for a 95 % interval"));
}

TEST(ReportDocument, TakesATtaApartIntoStepsAndTheRest) {
  auto run = example_run();
  for (auto& each : run.cells) {
    for (auto& target : each.targets) {
      if (target.tta_s) *target.tta_s += 0.5;
    }
  }
  const auto report = report_of(run);
  EXPECT_NEAR(*report.sections[0].links[0].rows[0].targets[0].beyond_s.median, 0.5, 1e-9);
  EXPECT_THAT(render_text(report, 400), HasSubstr("0.221 × 24   0.500"));
}

TEST(ReportDocument, CallsALinkFullThatLetABurstThrough) {
  auto run = example_run();
  for (auto& each : run.cells) each.wire_mbit = 101.7;
  EXPECT_EQ(report_of(run).sections[0].links[0].rows[0].link_use->maximum, 1);
  for (auto& each : run.cells) each.wire_mbit.reset();
  EXPECT_FALSE(report_of(run).sections[0].links[0].rows[0].link_use);
}

TEST(ReportDocument, AStepOverLinksBetweenSwitchesNeedsTheTimeOfTheBytesThatCrossThem) {
  auto run = example_run();
  const auto least_s = [](const RunResult& result) {
    const auto report = report_of(result);
    const auto& link = report.sections[0].links[0];
    return *least_wire_s(link, link.rows[0]);
  };
  EXPECT_NEAR(least_s(run), 2.39e6 * 8 / 100e6, 0.01) << "what a worker sends";
  for (auto& each : run.cells) each.trunk_bytes_per_iteration = 1e6;
  EXPECT_DOUBLE_EQ(least_s(run), 0.5e6 * 8 / 100e6) << "1 MB both ways together";
}

TEST(ReportDocument, HoldsSharesOfAnIteration) {
  const auto row = report_of(example_run()).sections[0].links[0].rows[0];
  EXPECT_NEAR(row.compute_share->maximum, 0.011 / 0.210, 1e-9);
  EXPECT_NEAR(row.exposed_share->minimum, 0.197 / 0.210, 1e-9);
  EXPECT_NEAR(row.link_use->maximum, 2.39e6 * 1.004 * 8 / 100e6 / 0.199, 1e-9);
}

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
