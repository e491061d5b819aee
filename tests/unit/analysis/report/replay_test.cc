// Mode compose with replayed exchanges: what every report says about its times.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/report/report.h"
#include "tests/unit/analysis/report/example_run.h"

namespace pacbench::report {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

RunResult composed(const std::string& exchange, const Json& assumption = {}) {
  auto run = example_run();
  run.mode = Mode::kCompose;
  run.scenario["mode"] = "compose";
  run.scenario["compose"] = {{"profile", {{"hardware", "a machine"}, {"source", "measured"}}},
                             {"curve", "results/learned"},
                             {"exchange", exchange}};
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
  EXPECT_THAT(render_text(run), Not(HasSubstr("Emulated time")));
  run.scenario["time_dilation"] = 4;
  run.scenario["worker_speed"] = 2;
  EXPECT_THAT(render_text(run), AllOf(HasSubstr("4 × slower"), HasSubstr("1 s below took 4 s"),
                                      HasSubstr("workers computed 2 × as fast")));
}

TEST(PruningOfReplayedExchanges, IsTheRunOfTheCurvesAtTheSpeedThatComputingIsAssumedToHave) {
  EXPECT_THAT(notes(pruning(composed("profile", {{"compute_factor", 0.25}}), 0.5)),
              Contains(HasSubstr("run that gave the curves × 0.25")));
  EXPECT_THAT(notes(pruning(composed("profile"), 1)),
              Contains(HasSubstr("no time includes pruning")))
      << "an earlier pacbench left it out";
}

}  // namespace
}  // namespace pacbench::report
