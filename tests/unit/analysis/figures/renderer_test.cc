#include "analysis/figures/renderer.h"

#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "analysis/figures/document.h"
#include "base/files.h"
#include "tests/unit/analysis/figures/example_iteration.h"
#include "tests/unit/analysis/report/example_run.h"
#include "tests/unit/contract/matchers.h"
#include "tests/unit/contract/refusals.h"
#include "tests/unit/harness/example_manifest.h"

namespace pacbench::figures {
namespace {

/// Runs a script in place of Python: PACBENCH_PYTHON names it.
class Plots : public ::testing::Test {
 protected:
  void use(const std::string& script) const {
    const auto path = folder_.path() + "/python";
    std::ofstream{path} << "#!/bin/sh\n" << script << '\n';
    chmod(path.c_str(), 0700);
    setenv("PACBENCH_PYTHON", path.c_str(), 1);
  }
  void TearDown() override { unsetenv("PACBENCH_PYTHON"); }

  static std::string complaint() {
    return testing::refusal_words<std::exception>([] { run_plots({"html"}, Json::object()); });
  }

  TemporaryFolder folder_;
};

TEST_F(Plots, GetTheDocumentOnStandardInputAndGiveWhatWasPrinted) {
  use("echo \"$@\"; cat");
  EXPECT_EQ(run_plots({"html"}, {{"title", "a"}}), "-m pacbench_plots html\n{\"title\":\"a\"}");
}

TEST_F(Plots, FindTheirPackage) {
  use("cat > /dev/null; echo \"$PYTHONPATH\"");
  EXPECT_EQ(run_plots({"html"}, Json::object()).substr(0, plots_folder().size()), plots_folder());
}

TEST_F(Plots, SayHowToGetAPackageThatIsMissing) {
  use("cat > /dev/null; echo it lacks plotly >&2; exit 69");
  EXPECT_THAT(complaint(), HasSubstr("it lacks plotly; run tools/setup"));
  EXPECT_THROW(run_plots({"html"}, Json::object()), ConfigError);
}

TEST_F(Plots, SayHowToGetAPythonThatIsMissing) {
  setenv("PACBENCH_PYTHON", "/nonexistent/python", 1);
  EXPECT_THAT(complaint(), AllOf(HasSubstr("/nonexistent/python"), HasSubstr("PACBENCH_PYTHON")));
}

TEST_F(Plots, PassOnWhatAFailureSaid) {
  use("cat > /dev/null; echo broken >&2; exit 1");
  EXPECT_THAT(complaint(), AllOf(HasSubstr("exit code 1"), HasSubstr("broken")));
}

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
