#include "analysis/figures/document.h"

#include <filesystem>
#include <fstream>

#include "base/files.h"
#include "contract/worker/worker_event.h"
#include "harness/record/link_probe.h"
#include "tests/unit/analysis/figures/example_iteration.h"
#include "tests/unit/analysis/report/example_run.h"
#include "tests/unit/contract/matchers.h"
#include "tests/unit/contract/schema_check.h"
#include "tests/unit/harness/example_manifest.h"

namespace pacbench::figures {
namespace {

/// The example run, as if read from a folder that has no other file until a test writes one.
class FiguresDocument : public ::testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) const {
    const auto path = std::filesystem::path{folder_.path()} / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream{path} << text;
  }

  Json document(const RunResult& run) const {
    return figures_document(report::merge_by_workload({{folder_.path() + "/result.json", run}}));
  }

  static Json figure(const Json& document, const std::string& name) {
    for (const auto& figure : document.at("figures")) {
      if (figure.at("name") == name) return figure;
    }
    throw std::out_of_range{name};
  }

  TemporaryFolder folder_;
};

TEST_F(FiguresDocument, SaysWhyAFigureIsMissing) {
  const auto made = document(report::example_run());
  EXPECT_THAT(figure(made, "accuracy-time").at("missing").get<std::string>(),
              HasSubstr("curve.jsonl"));
  EXPECT_THAT(figure(made, "tta-bandwidth").at("missing").get<std::string>(),
              HasSubstr("rate_mbit"));
  EXPECT_EQ(figure(made, "relative-tta").at("missing"), "");
}

TEST_F(FiguresDocument, NeedsAnotherMethodForATradeOffAndNoneForRelativeTimes) {
  auto run = report::example_run();
  std::erase_if(run.cells, [](const CellResult& each) { return each.label != "all-reduce"; });
  const auto alone = document(run);
  EXPECT_EQ(figure(alone, "relative-tta").at("missing"), "");
  EXPECT_THAT(figure(alone, "pareto").at("missing").get<std::string>(),
              HasSubstr("of another method"));
  report::cell(run, "all-reduce", 1).link_verdict = {"suspect", {"slow"}};
  EXPECT_EQ(figure(document(run), "relative-tta").at("missing"),
            "needs done cells of all-reduce that reached a target, over links as declared");
}

TEST_F(FiguresDocument, HasCurvesOfTheCellsThatLieBesideTheResult) {
  for (const char* seed : {"1", "2"}) {
    write(std::string{"cells/fp16-100Mbps-"} + seed + "/curve.jsonl",
          R"({"accuracy":0.5,"event":"evaluation","iteration":3,"loss":1.0,"training_s":2.0})"
          "\n");
  }
  const auto panels = figure(document(report::example_run()), "accuracy-time").at("panels");
  ASSERT_EQ(panels.size(), 1u);
  ASSERT_EQ(panels[0].at("series").size(), 1u);
  EXPECT_EQ(panels[0].at("series")[0].at("label"), "fp16");
  EXPECT_EQ(panels[0].at("series")[0].at("seeds"), 2);
}

TEST_F(FiguresDocument, PutsTimesInRelationToAllReduceAndAWordInPlaceOfABarThatCannotBe) {
  auto run = report::example_run();
  auto panels = figure(document(run), "relative-tta").at("panels");
  const auto bars = panels[0].at("groups")[0].at("bars");
  EXPECT_EQ(bars[0].at("label"), "all-reduce");
  EXPECT_DOUBLE_EQ(bars[0].at("relative").at("median"), 1.0);
  EXPECT_NEAR(bars[1].at("relative").at("median").get<double>(), 0.118 / 0.210, 1e-9);
  EXPECT_EQ(panels[2].at("groups")[0].at("bars")[3].at("word"), "DNF");
  report::cell(run, "fp16", 1).link_verdict = {"suspect", {"slow"}};
  panels = figure(document(run), "relative-tta").at("panels");
  EXPECT_EQ(panels[0].at("groups")[0].at("bars")[1].at("word"), "suspect");
}

TEST_F(FiguresDocument, PutsMethodsThatDifferInTheirPruningRatioAloneOnOneLine) {
  auto run = report::example_run();
  auto& methods = run.scenario["methods"];
  for (const auto& [index, ratio] : {std::pair{2, 0.8}, {3, 0.3}, {4, 0.5}}) {
    methods[index]["name"] = "pactrain";
    methods[index]["pruning_ratio"] = ratio;
    methods[index]["quantize"] = index == 4 ? "ternary" : "none";
  }
  const auto series = figure(document(run), "accuracy-pruning").at("panels")[0].at("series");
  ASSERT_EQ(series.size(), 2u);
  EXPECT_EQ(series[0].at("name"), "pactrain quantize none");
  ASSERT_EQ(series[0].at("points").size(), 2u);
  EXPECT_EQ(series[0].at("points")[0].at("pruning_ratio"), 0.3);
  EXPECT_EQ(series[1].at("name"), "pactrain quantize ternary");
}

/// A run with something to show in every figure but "scaling": two rates, a pruning ratio, lines of
/// a cell.
class FullDocument : public FiguresDocument {
 protected:
  void SetUp() override {
    run_ = report::example_run();
    run_.scenario["methods"][4]["pruning_ratio"] = 0.5;
    run_.scenario["network"]["links"].push_back({{"name", "200Mbps"}, {"rate_mbit", 200.0}});
    const auto slower = run_.cells;
    for (auto cell : slower) {
      cell.link = "200Mbps";
      run_.cells.push_back(cell);
    }
    write("manifest.json", to_json(example_manifest()).dump());
    const std::string folder = "cells/fp16-100Mbps-1/";
    write(folder + "curve.jsonl", to_json(EvaluationEvent{3, 2.0, 0.5, 1.0}).dump() + "\n");
    std::string lines;
    for (int rank = 0; rank < 8; ++rank) lines += to_json(example_iteration(rank, 2)).dump() + "\n";
    write(folder + "iterations.jsonl", lines);
    record::LinkProbe probe;
    probe.link = "100Mbps";
    probe.when = "before";
    record::ProbedFlow flow;
    flow.path = {0, 1};
    flow.expected_mbit = 95.6;
    flow.goodput_mbit = 95.0;
    probe.flows = {flow};
    write("probes.jsonl", to_json(probe).dump() + "\n");
  }

  RunResult run_;
};

RunResult simulated(int workers, double rate_mbit) {
  auto run = report::example_run_in(Mode::kSimulate);
  run.scenario["workers"] = workers;
  run.scenario["network"]["links"][0]["rate_mbit"] = rate_mbit;
  run.scenario["compose"].erase("curve");
  run.comparison_hash = std::to_string(workers) + std::to_string(rate_mbit);
  return run;
}

TEST_F(FiguresDocument, HasPanelsForEachQuantityAndRateOfSimulatedScaling) {
  std::vector<store::NamedResult> runs;
  for (const double rate_mbit : {100.0, 50.0}) {
    for (const int workers : {8, 64}) {
      runs.push_back({folder_.path() + "/result.json", simulated(workers, rate_mbit)});
    }
  }
  const auto made = figures_document(report::merge_by_workload(runs));
  EXPECT_EQ(testing::first_schema_error(figures_schema(), made), "");
  EXPECT_EQ(figure(made, "scaling").at("missing"), "");
  const auto panels = figure(made, "scaling").at("panels");
  ASSERT_EQ(panels.size(), 6u) << "three quantities at two rates";
  EXPECT_EQ(panels[0].at("title"), "star, 100Mbps, 100 Mbit/s");
  EXPECT_EQ(panels[5].at("title"), "star, 100Mbps, 50 Mbit/s");
}

TEST_F(FullDocument, IsWhatItsSchemaSays) {
  auto made = document(run_);
  for (const auto& figure : made.at("figures")) {
    if (figure.at("name") == "scaling") continue;  // shows simulated runs only: ScalingFigure
    EXPECT_EQ(figure.at("missing"), "") << figure.at("name") << " is not held against the schema";
  }
  EXPECT_EQ(made.at("sections")[0].at("timelines").size(), 1u);
  EXPECT_EQ(made.at("sections")[0].at("fidelity")[0].at("probes").size(), 1u);
  EXPECT_EQ(testing::first_schema_error(figures_schema(), made), "");
  made["figures"][7]["panels"][0]["points"][0]["extra"] = 1;
  EXPECT_NE(testing::first_schema_error(figures_schema(), made), "");
}

TEST_F(FullDocument, OfARunJudgedByItsLossIsWhatTheSchemaSays) {
  run_.scenario["targets"] = {{"loss", {2.4, 2.0, 1.8}}};
  for (auto& cell : run_.cells) {
    for (std::size_t i = 0; i < 3; ++i) {
      cell.targets[i].target = targets_of(run_.scenario)[i];
    }
  }
  const auto made = document(run_);
  EXPECT_EQ(testing::first_schema_error(figures_schema(), made), "");
  const auto panels = figure(made, "relative-tta").at("panels");
  ASSERT_FALSE(panels.empty());
  EXPECT_EQ(panels[0].at("target"), 2.4);
  EXPECT_THAT(panels[0].at("title").get<std::string>(), HasSubstr("to loss 2.4"));
}

TEST_F(FullDocument, OfARunInModeLearnIsWhatTheSchemaSays) {
  run_.mode = run_.scenario["mode"] = "learn";
  run_.scenario.erase("network");
  for (auto& cell : run_.cells) cell.link = "none";
  run_.cells.resize(run_.cells.size() / 2);
  EXPECT_EQ(testing::first_schema_error(figures_schema(), document(run_)), "");
}

}  // namespace
}  // namespace pacbench::figures
