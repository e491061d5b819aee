#include "analysis/report/section_contents.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "analysis/report/headline.h"
#include "base/files.h"
#include "contract/worker/worker_event.h"
#include "tests/unit/analysis/report/example_run.h"
#include "tests/unit/contract/matchers.h"

namespace pacbench::report {
namespace {

Headline headline(const RunResult& run) {
  const auto report = report_of(run);
  return headline_of(report.sections[0], report.sections[0].links[0]).value();
}

std::string sentence(const RunResult& run) {
  const auto report = report_of(run);
  const auto& section = report.sections[0];
  return headline_line(section, section.links[0]);
}

Standing standing(const Headline& headline, const std::string& label) {
  return beside(headline, label).standing;
}

TEST(Headline, IsOfTheHardestTargetThatTwoRowsReachedWithAllTheirSeeds) {
  auto run = example_run();
  EXPECT_EQ(headline(run).target, (Target{kAccuracy, 0.97}));
  for (const auto& method : run.scenario["methods"]) {
    if (method["label"] == "all-reduce") continue;
    for (const std::int64_t seed : {1, 2, 3}) {
      cell(run, method["label"], seed).targets[2] = {{kAccuracy, 0.97}, {}, {}};
    }
  }
  EXPECT_EQ(headline(run).target, (Target{kAccuracy, 0.95}));
}

TEST(Headline, NamesTheFastestAndHowManyTimesAsFastItIs) {
  // To 97 %: 84 steps of 210 ms and 120 of 55 ms.
  const auto run = example_run();
  EXPECT_EQ(headline(run).first, "pactrain-0.5-ternary");
  const auto all_reduce = beside(headline(run), "all-reduce");
  EXPECT_EQ(all_reduce.standing, Standing::kSlower);
  EXPECT_NEAR(all_reduce.of_first->value, 84 * 0.210 / (120 * 0.055), 1e-9);
  EXPECT_THAT(sentence(run), HasSubstr("no delay, 3 seeds, links ok)"));
}

TEST(Headline, SaysWhichDelayTheLinksHave) {
  auto run = example_run();
  auto& link = run.scenario["network"]["links"][0];
  link["delay_ms"] = 7.5;
  EXPECT_THAT(sentence(run), HasSubstr("with delay"));
  link.erase("delay_ms");
  link["measured"] = true;
  EXPECT_THAT(sentence(run), AllOf(HasSubstr("delay unknown"), Not(HasSubstr("no delay"))));
}

TEST(Headline, SaysSimulatedInPlaceOfAVerdictOnLinksThatDidNotExist) {
  EXPECT_THAT(sentence(example_run_in(Mode::kSimulate)), HasSubstr("3 seeds, simulated)"));
}

TEST(Headline, NamesMethodsThatTheSeedsDoNotTellApart) {
  auto run = example_run();
  for (const std::int64_t seed : {1, 2, 3}) {
    auto& other = cell(run, "pactrain-0.5", seed);
    const auto& first = cell(run, "pactrain-0.5-ternary", seed);
    for (std::size_t i = 0; i < 3; ++i) {
      // 10 % slower, 2 % faster, 5 % slower.
      const double factor = seed == 1 ? 1.1 : seed == 2 ? 0.98 : 1.05;
      other.targets[i].tta_s = factor * *first.targets[i].tta_s;
    }
  }
  EXPECT_EQ(standing(headline(run), "pactrain-0.5"), Standing::kNotToldApart);
  EXPECT_THAT(sentence(run), AllOf(HasSubstr("No single fastest"),
                                   HasSubstr("cannot be told apart from pactrain-0.5;")));
}

TEST(Headline, DecidesNothingByOneSeedOrTwo) {
  auto run = example_run();
  std::erase_if(run.cells, [](const CellResult& each) { return each.seed > 1; });
  EXPECT_EQ(standing(headline(run), "all-reduce"), Standing::kNotJudged);
  EXPECT_THAT(sentence(run), HasSubstr("with 1 seed, which decides nothing"));
}

TEST(Headline, DoesNotSayThatARowLostWhichWaitedForTheCpuUnlessItsBytesAloneNeedLonger) {
  auto run = example_run();
  for (const std::int64_t seed : {1, 2, 3}) {
    cell(run, "all-reduce", seed).host_verdict = {"cpu-bound", {"too few cores"}};
  }
  EXPECT_EQ(standing(headline(run), "all-reduce"), Standing::kSlower) << "2.39 of 0.31 MB a step";
  for (const std::int64_t seed : {1, 2, 3}) {
    cell(run, "all-reduce", seed).expected_bytes_per_iteration = 0.2e6;
  }
  EXPECT_EQ(beside(headline(run), "all-reduce").reason, "bound by the CPU");
  EXPECT_THAT(sentence(run), HasSubstr("not judged, since bound by the CPU: all-reduce;"));
  for (const std::int64_t seed : {1, 2, 3}) {
    cell(run, "all-reduce", seed).host_verdict = {};
    cell(run, "pactrain-0.5-ternary", seed).host_verdict = {"cpu-bound", {"too few cores"}};
  }
  EXPECT_EQ(standing(headline(run), "all-reduce"), Standing::kSlower);
}

TEST(Headline, WidensALeadByWhatLiesBetweenEvaluations) {
  auto run = example_run();
  const auto fine = beside(headline(run), "pactrain-0.5").of_first.value();
  run.scenario["workload"]["evaluate_every"] = 60;
  const auto coarse = beside(headline(run), "pactrain-0.5").of_first.value();
  EXPECT_LT(coarse.interval->low, fine.interval->low);
  EXPECT_GT(coarse.interval->high, fine.interval->high);
  EXPECT_DOUBLE_EQ(coarse.value, fine.value);
}

/// A run of a user's own program alone. Its recorded curves, if they are written, have evaluations
/// a half before the TTA to the last target and at it.
class HeadlineOfAProgram : public ::testing::Test {
 protected:
  void SetUp() override { run_.scenario["workload"] = {{"command", {"python3", "train.py"}}}; }

  void write_curves() const {
    for (const auto& cell : run_.cells) {
      const auto folder = folder_.path() + "/cells/" + cell.name();
      std::filesystem::create_directories(folder);
      const double tta_s = cell.targets[2].tta_s.value_or(cell.training_s);
      std::ofstream curve{folder + "/curve.jsonl"};
      curve << to_json(EvaluationEvent{1, tta_s / 2, 0.5, 1.0}).dump() << '\n'
            << to_json(EvaluationEvent{2, tta_s, 0.97, 1.0}).dump() << '\n';
    }
  }

  Headline found() const {
    const auto report = build_report(merge_by_workload({{folder_.path() + "/result.json", run_}}));
    return headline_of(report.sections[0], report.sections[0].links[0]).value();
  }

  RunResult run_ = example_run();
  TemporaryFolder folder_;
};

TEST_F(HeadlineOfAProgram, ReachesBackToItsEvaluationBeforeTheCrossing) {
  write_curves();
  EXPECT_DOUBLE_EQ(found().range_s.low_s, 120 * 0.055 / 2);
  // Against 3.3 to 6.6 s these take 8.8 to 17.6 s and 5.2 to 10.4 s.
  EXPECT_EQ(standing(found(), "all-reduce"), Standing::kSlower);
  EXPECT_EQ(standing(found(), "pactrain-0.5"), Standing::kNotToldApart);
}

TEST_F(HeadlineOfAProgram, SaysNobodyIsFasterWhereNoEvaluationsAreRecorded) {
  EXPECT_NEAR(found().range_s.low_s, 120 * 0.055 * 1e-3, 1e-9);
  EXPECT_EQ(standing(found(), "all-reduce"), Standing::kNotToldApart);
}

TEST_F(HeadlineOfAProgram, StandsAboveTheTimeOfAStepAndItsBytes) {
  for (auto& method : run_.scenario["methods"]) method["name"] = "program";
  EXPECT_THAT(render_text(report_of(run_), 200), HasSubstr("ms  MB sent"));
}

void expect_within(const std::string& text, std::size_t columns) {
  std::istringstream lines{text};
  for (std::string line; std::getline(lines, line);) {
    EXPECT_LE(display_width(line), columns) << line;
  }
}

TEST(Report, FitsATerminalOf140Columns) {
  expect_within(render_text(report_of(example_run())), kReportWidth);
}

TEST(Summary, IsASentenceAndOneTableThatLeavesColumnsOutWhereThereIsNoRoom) {
  const auto report = report_of(example_run());
  for (const std::size_t columns : {80U, 100U, 120U, 140U, 200U}) {
    const auto text = render_summary(report, columns);
    expect_within(text, columns);
    EXPECT_THAT(text, AllOf(HasSubstr("Fastest of 6"), HasSubstr("97 %"), HasSubstr("trust"),
                            Not(HasSubstr("Parts of the TTA"))));
  }
  const auto& section = report.sections[0];
  EXPECT_LT(summary_table(section, section.links[0], 80).columns.size(),
            summary_table(section, section.links[0], 200).columns.size());
}

TEST(Summary, ExplainsTheColumnsThatItShowsAndNoOthers) {
  const auto report = report_of(example_run());
  const auto& section = report.sections[0];
  for (const std::size_t columns : {80U, 100U, 120U, 140U, 200U, 2000U}) {
    auto text = render_summary(report, columns);
    std::replace(text.begin(), text.end(), '\n', ' ');
    const auto table = summary_table(section, section.links[0], columns);
    for (const auto& [head, words] : {std::pair{"tried", " tried: "},
                                      {"AR", " AR: all-reduce"},
                                      {"next", " next: "},
                                      {"of it wire", " of it wire: "},
                                      {"steps", " steps: "},
                                      {"start-up s", " start-up: "},
                                      {"Δ AR", " Δ AR: "}}) {
      const bool is_shown =
          std::any_of(table.columns.begin(), table.columns.end(),
                      [head = head](const Column& column) { return column.head == head; });
      EXPECT_EQ(text.find(words) != std::string::npos, is_shown) << head << ", " << columns;
    }
  }
}

/// Lets a method's cells reach all their targets at these times, one for each seed.
void end_at(RunResult& run, const std::string& label, const std::vector<double>& tta_s) {
  for (std::size_t i = 0; i < tta_s.size(); ++i) {
    for (auto& target : cell(run, label, static_cast<std::int64_t>(i) + 1).targets) {
      target.tta_s = tta_s[i];
      target.iterations = 40;
    }
  }
}

/// A run with a method that exchanges only in every eighth iteration. Its median step takes 12 ms,
/// its mean step 37 ms. It reaches its target 0.4 to 0.7 s after another method.
RunResult with_a_seldom_exchange() {
  auto run = example_run();
  run.scenario["workload"]["evaluate_every"] = 3;
  end_at(run, "pactrain-0.5", {1.612, 1.628, 1.362});
  end_at(run, "pactrain-0.5-ternary", {1.1256, 0.9287, 0.9759});
  for (const std::int64_t seed : {1, 2, 3}) {
    auto& seldom = cell(run, "pactrain-0.5", seed);
    seldom.time_per_iteration_s = 0.012;
    seldom.period = 8;
    seldom.training_s = seldom.pruning_s + 150 * 0.0373;
  }
  return run;
}

TEST(Headline, CountsAnExchangeBetweenTwoEvaluationsOfAMethodThatExchangesSeldom) {
  auto run = with_a_seldom_exchange();
  EXPECT_THAT(render_summary(report_of(run), 200), HasSubstr(" 37.3 "));
  EXPECT_EQ(standing(headline(run), "pactrain-0.5"), Standing::kNotToldApart);
  for (const std::int64_t seed : {1, 2, 3}) cell(run, "pactrain-0.5", seed).period = 1;
  EXPECT_EQ(standing(headline(run), "pactrain-0.5"), Standing::kSlower) << "three steps of 12 ms";
}

TEST(Headline, DoesNotSayThatARowLostWhoseBytesTakeLittleOfItsMeanStep) {
  auto run = with_a_seldom_exchange();
  for (const std::int64_t seed : {1, 2, 3}) {
    cell(run, "pactrain-0.5", seed).host_verdict = {"cpu-bound", {"busy"}};
    cell(run, "pactrain-0.5", seed).expected_bytes_per_iteration = 0.15e6;  // 12 ms at 100 Mbit/s
  }
  run.scenario["workload"]["evaluate_every"] = 1;
  EXPECT_EQ(standing(headline(run), "pactrain-0.5"), Standing::kNotToldApart);
}

TEST(Headline, CountsTheRowsOfTheSameSeedsThatWereCompared) {
  auto run = example_run();
  EXPECT_THAT(sentence(run), Not(HasSubstr("not compared")));
  cell(run, "pactrain-0.5-ternary", 3).status = CellStatus::kInterrupted;
  EXPECT_EQ(headline(run).rows, 5U);
  EXPECT_THAT(sentence(run), HasSubstr("1 row not compared"));
  run = example_run();
  auto fourth = cell(run, "all-reduce", 3);
  fourth.seed = 4;
  run.cells.push_back(fourth);
  run.scenario["seeds"].push_back(4);
  EXPECT_EQ(headline(run).rows, 5U) << "an interrupted run: all-reduce alone has a fourth seed";
}

TEST(Headline, SaysWhyARowIsNotJudged) {
  auto run = example_run();
  cell(run, "fp16", 2).link_verdict = {"suspect", {"the queue held too little"}};
  cell(run, "topk-0.1", 2).status = CellStatus::kSkipped;
  cell(run, "pactrain-0.5", 1).status = CellStatus::kFailed;
  const auto found = headline(run);
  EXPECT_EQ(beside(found, "fp16").reason, "suspect links");
  EXPECT_EQ(beside(found, "topk-0.1").reason, "cells not done");
  EXPECT_EQ(beside(found, "pactrain-0.5").reason, "target reached by 2 of 3 seeds");
}

TEST(Headline, AndTheTableGiveANumberOneInterval) {
  const auto report = report_of(example_run());
  const auto& section = report.sections[0];
  const auto found = headline_of(section, section.links[0]).value();
  const auto& own = section.links[0].rows;
  const auto first = std::find_if(own.begin(), own.end(),
                                  [&](const ReportRow& each) { return each.label == found.first; });
  const auto& speed_up = first->targets[found.place].speed_up_all_reduce;
  EXPECT_EQ(speed_up->interval->low, beside(found, "all-reduce").of_first->interval->low);
  EXPECT_EQ(speed_up->interval->high, beside(found, "all-reduce").of_first->interval->high);
  EXPECT_DOUBLE_EQ(tta_within(first->targets[found.place])->low_s, found.range_s.low_s);
}

TEST(Summary, ComparesFinalAccuraciesOfTheSameSeedsOnly) {
  auto run = example_run();
  const auto differences = [&] {
    const auto text = render_summary(report_of(run), 200);
    const auto begin = text.find("\ntopk-0.1 ");
    return text.substr(begin, text.find('\n', begin + 1) - begin);
  };
  EXPECT_THAT(differences(), HasSubstr("-0.2"));
  for (const std::int64_t seed : {1, 2}) {
    cell(run, "topk-0.1", seed).status = CellStatus::kFailed;
  }
  cell(run, "topk-0.1", 3).final_accuracy = 0.99;
  EXPECT_THAT(differences(), AllOf(HasSubstr("99.0"), Not(HasSubstr("+1.5"))));
}

TEST(Summary, SaysWhyARowHasNoNumbersAndWhyNoneIsCompared) {
  auto run = example_run();
  EXPECT_THAT(render_summary(report_of(run), 200), Not(HasSubstr("failed")));
  for (const std::int64_t seed : {1, 2, 3}) {
    cell(run, "fp16", seed).status = CellStatus::kFailed;
    cell(run, "fp16", seed).reason = fmt::format("rank {} found a NaN", seed);
  }
  EXPECT_THAT(render_summary(report_of(run), 200),
              AllOf(HasSubstr("fp16: seed 1 failed: rank 1 found a NaN"), HasSubstr("2 more"),
                    Not(HasSubstr("rank 2"))));
  run = example_run();
  for (auto& one : run.cells) one.link_verdict = {"suspect", {"the worst flow had 0.89"}};
  EXPECT_THAT(render_summary(report_of(run), 500),
              AllOf(HasSubstr("No row is compared"), HasSubstr("the worst flow had 0.89")));
}

TEST(Summary, SaysHowManySettingsWereTried) {
  auto run = example_run();
  EXPECT_THAT(render_summary(report_of(run), 200), Not(HasSubstr("tried")));
  run.scenario["methods"][2]["tried"] = 24;
  EXPECT_THAT(render_summary(report_of(run), 200), AllOf(HasSubstr("tried"), HasSubstr("24")));
}

}  // namespace
}  // namespace pacbench::report
