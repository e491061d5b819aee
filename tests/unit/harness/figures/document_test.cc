#include "harness/figures/document.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "base/files.h"
#include "tests/unit/harness/report/example_run.h"

namespace pacbench {
namespace {

using ::testing::HasSubstr;

/// The example run as it lies in a folder, as far as its result.json.
class FiguresDocument : public ::testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) const {
    const auto path = std::filesystem::path{folder_.path()} / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream{path} << text;
  }

  Json document(const RunResult& run) const {
    return figures_document(merge_by_workload({{folder_.path() + "/result.json", run}}));
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
  const auto made = document(testing::example_run());
  EXPECT_EQ(made.at("format"), "pacbench.figures/1");
  EXPECT_THAT(figure(made, "accuracy-time").at("missing").get<std::string>(),
              HasSubstr("curve.jsonl"));
  EXPECT_THAT(figure(made, "tta-bandwidth").at("missing").get<std::string>(),
              HasSubstr("rate_mbit"));
  EXPECT_EQ(figure(made, "relative-tta").at("missing"), "");
}

TEST_F(FiguresDocument, HasCurvesOfTheCellsThatLieBesideTheResult) {
  for (const char* seed : {"1", "2"}) {
    write(std::string{"cells/fp16-100Mbps-"} + seed + "/curve.jsonl",
          R"({"accuracy":0.5,"event":"evaluation","iteration":3,"loss":1.0,"training_s":2.0})"
          "\n");
  }
  const auto panels = figure(document(testing::example_run()), "accuracy-time").at("panels");
  ASSERT_EQ(panels.size(), 1u);
  ASSERT_EQ(panels[0].at("series").size(), 1u);
  EXPECT_EQ(panels[0].at("series")[0].at("label"), "fp16");
  EXPECT_EQ(panels[0].at("series")[0].at("seeds"), 2);
}

TEST_F(FiguresDocument, PutsTimesInRelationToAllReduce) {
  const auto run = testing::example_run();
  const auto panel = figure(document(run), "relative-tta").at("panels")[0];
  const auto bars = panel.at("groups")[0].at("bars");
  EXPECT_EQ(bars[0].at("label"), "all-reduce");
  EXPECT_DOUBLE_EQ(bars[0].at("relative").at("median"), 1.0);
  EXPECT_NEAR(bars[1].at("relative").at("median").get<double>(), 0.118 / 0.210, 1e-9);
}

TEST_F(FiguresDocument, HasAWordInPlaceOfABarThatCannotBe) {
  auto run = testing::example_run();
  testing::cell(run, "fp16", 1).link_verdict = {"suspect", {"slow"}};
  const auto panels = figure(document(run), "relative-tta").at("panels");
  EXPECT_EQ(panels[0].at("groups")[0].at("bars")[1].at("word"), "suspect");
  EXPECT_EQ(panels[2].at("groups")[0].at("bars")[3].at("word"), "DNF");
}

TEST_F(FiguresDocument, PutsMethodsThatDifferInTheirPruningRatioAloneOnOneLine) {
  auto run = testing::example_run();
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

TEST_F(FiguresDocument, RefusesAManifestOfAnotherFormat) {
  write("manifest.json", R"({"format": "pacbench.manifest/9"})");
  try {
    document(testing::example_run());
    FAIL() << "nothing was thrown";
  } catch (const ConfigError& error) {
    EXPECT_THAT(error.what(), HasSubstr("manifest.json"));
    EXPECT_THAT(error.what(), HasSubstr("pacbench.manifest/9"));
    EXPECT_THAT(error.what(), HasSubstr("expected \"pacbench.manifest/1\""));
  }
}

}  // namespace
}  // namespace pacbench
