#include "analysis/export/exported_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "base/files.h"
#include "tests/unit/analysis/export/example_folder.h"
#include "tests/unit/analysis/report/example_run.h"

namespace pacbench::exports {
namespace {

using ::testing::HasSubstr;

class AnExportedRun : public ::testing::Test {
 protected:
  AnExportedRun() { write_example_folder(folder_.path(), report::example_run()); }

  std::string path(const std::string& name) const { return folder_.path() + "/" + name; }

  std::string error(const std::vector<std::string>& cells = {}) const {
    try {
      open_exported_run(folder_.path(), cells);
    } catch (const ConfigError& thrown) {
      return thrown.what();
    }
    return "";
  }

  /// Replaces one value of a JSON file by another.
  void edit(const std::string& name, const std::string& pointer, const Json& value) const {
    auto document = read_json_file(path(name));
    document[Json::json_pointer{pointer}] = value;
    write_file_atomically(path(name), document.dump());
  }

  TemporaryFolder folder_;
};

TEST_F(AnExportedRun, HasAllCellsUnlessSomeAreNamed) {
  EXPECT_EQ(open_exported_run(folder_.path(), {}).result.cells.size(), 18U);
  const auto run = open_exported_run(folder_.path(), {"fp16-100Mbps-2"});
  ASSERT_EQ(run.result.cells.size(), 1U);
  EXPECT_EQ(run.cell_folder(run.result.cells[0]), path("cells/fp16-100Mbps-2"));
}

TEST_F(AnExportedRun, ListsTheCellsWhenOneIsUnknown) {
  EXPECT_THAT(error({"fp32-100Mbps-1"}),
              HasSubstr("no cell \"fp32-100Mbps-1\" in " + folder_.path() + "; there is: "));
}

TEST_F(AnExportedRun, IsRefusedWithoutItsResultOrItsManifest) {
  std::filesystem::rename(path("result.json"), path("elsewhere"));
  EXPECT_THAT(error(), HasSubstr("holds a manifest.json but no result.json"));
  std::filesystem::rename(path("elsewhere"), path("result.json"));
  std::filesystem::remove(path("manifest.json"));
  EXPECT_THAT(error(), HasSubstr("holds no manifest.json"));
}

TEST_F(AnExportedRun, IsRefusedWithoutCells) {
  edit("result.json", "/cells", Json::array());
  EXPECT_THAT(error(), HasSubstr("result.json: /cells: found none, expected at least one"));
}

TEST_F(AnExportedRun, IsRefusedWhenItsFormatIsNewer) {
  edit("manifest.json", "/format", "pacbench.manifest/2");
  EXPECT_THAT(error(), HasSubstr("manifest.json: /format: found \"pacbench.manifest/2\""));
}

TEST_F(AnExportedRun, IsRefusedWhenItsManifestWasCut) {
  edit("manifest.json", "/environment", Json::object());
  EXPECT_THAT(error(), HasSubstr("/environment/cpu: missing, expected a string"));
}

TEST_F(AnExportedRun, IsRefusedWhenACellIsThereTwice) {
  auto cells = read_json_file(path("result.json")).at("cells");
  cells.push_back(cells.at(0));
  edit("result.json", "/cells", cells);
  EXPECT_THAT(error(), HasSubstr("all-reduce on 100Mbps with seed 1 is there twice"));
}

TEST_F(AnExportedRun, IsRefusedWhenItsScenarioWasEdited) {
  edit("result.json", "/scenario/workers", "eight");
  EXPECT_THAT(error(), HasSubstr("result.json: /scenario/workers: found \"eight\" (a string), "
                                 "expected an integer"));
  edit("result.json", "/scenario/workers", 4);
  EXPECT_THAT(error(), HasSubstr("result.json: /comparison_hash: found"));
}

}  // namespace
}  // namespace pacbench::exports
