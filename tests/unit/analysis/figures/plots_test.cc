#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "analysis/figures/document.h"
#include "analysis/figures/renderer.h"
#include "base/files.h"
#include "tests/unit/analysis/figures/example_iteration.h"
#include "tests/unit/analysis/report/example_run.h"
#include "tests/unit/harness/example_manifest.h"

namespace pacbench::figures {
namespace {

using ::testing::HasSubstr;

/// Makes the figures document of the example run, after writing recorded lines of each cell, and
/// hands it to pacbench_plots.
class PlotsOfARun : public ::testing::Test {
 protected:
  void SetUp() override {
    auto run = report::example_run();
    for (const auto& cell : run.cells) write_lines(cell);
    std::ofstream{folder_.path() + "/manifest.json"} << to_json(example_manifest());
    document_ =
        figures_document(report::merge_by_workload({{folder_.path() + "/result.json", run}}));
  }

  void write_lines(const CellResult& cell) const {
    const auto folder = std::filesystem::path{folder_.path()} / "cells" /
                        (cell.label + "-" + cell.link + "-" + std::to_string(cell.seed));
    std::filesystem::create_directories(folder);
    std::ofstream curve{folder / "curve.jsonl"};
    for (int i = 0; i <= 10; ++i) {
      curve << to_json(EvaluationEvent{3 * i, 0.6 * i, 0.09 * i, 1.0}).dump() << '\n';
    }
    std::ofstream iterations{folder / "iterations.jsonl"};
    for (int rank = 0; rank < 8; ++rank) {
      iterations << to_json(example_iteration(rank, 2)).dump() << '\n';
    }
  }

  /// Returns what Python prints. Where Python lacks packages that tools/setup installs, returns an
  /// empty string and sets `lacks_`.
  std::string drawn(const std::vector<std::string>& arguments) const {
    try {
      return run_plots(arguments, document_);
    } catch (const ConfigError& error) {
      if (std::string{error.what()}.find(" lacks ") == std::string::npos) throw;
      lacks_ = error.what();
      return "";
    }
  }

  TemporaryFolder folder_;
  Json document_;
  mutable std::string lacks_;
};

TEST_F(PlotsOfARun, AreWrittenAsSvgAndPng) {
  const auto printed = drawn({"figures", "-o", folder_.path()});
  if (!lacks_.empty()) GTEST_SKIP() << lacks_;
  for (const char* name :
       {"accuracy-time", "accuracy-iteration", "relative-tta", "phases", "bytes", "pareto"}) {
    const auto path = folder_.path() + "/" + name;
    EXPECT_THAT(printed, HasSubstr(path + ".svg"));
    EXPECT_TRUE(std::filesystem::exists(path + ".svg"));
    EXPECT_TRUE(std::filesystem::exists(path + ".png"));
  }
  EXPECT_FALSE(std::filesystem::exists(folder_.path() + "/tta-bandwidth.svg")) << "of one link";
}

TEST_F(PlotsOfARun, AreInThePageWithItsTables) {
  const auto page = drawn({"html"});
  if (!lacks_.empty()) GTEST_SKIP() << lacks_;
  EXPECT_THAT(page.substr(0, 15), "<!doctype html>");
  EXPECT_THAT(page, HasSubstr("pactrain-0.5-ternary"));
  EXPECT_THAT(page, HasSubstr(R"(id="figure-phases")"));
}

}  // namespace
}  // namespace pacbench::figures
