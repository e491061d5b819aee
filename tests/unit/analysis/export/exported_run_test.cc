#include "analysis/export/exported_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/files.h"
#include "tests/unit/analysis/export/example_folder.h"
#include "tests/unit/analysis/report/example_run.h"
#include "tests/unit/contract/refusals.h"

namespace pacbench::exports {
namespace {

using ::testing::HasSubstr;

class AnExportedRun : public ::testing::Test {
 protected:
  AnExportedRun() { write_example_folder(folder_.path(), report::example_run()); }

  std::string path(const std::string& name) const { return folder_.path() + "/" + name; }

  /// The refusal after one value of a JSON file was replaced by another.
  std::string refusal_after(const std::string& name, const char* key, const Json& value) const {
    auto document = read_json_file(path(name));
    document[key] = value;
    write_file_atomically(path(name), document.dump());
    return testing::refusal_words([&] { open_exported_run(folder_.path(), {}); });
  }

  TemporaryFolder folder_;
};

TEST_F(AnExportedRun, HasAllCellsUnlessSomeAreNamed) {
  EXPECT_EQ(open_exported_run(folder_.path(), {}).result.cells.size(), 18U);
  const auto run = open_exported_run(folder_.path(), {"fp16-100Mbps-2"});
  ASSERT_EQ(run.result.cells.size(), 1U);
  EXPECT_EQ(run.cell_folder(run.result.cells[0]), path("cells/fp16-100Mbps-2"));
}

TEST_F(AnExportedRun, IsRefusedWithoutCellsAndWhenItsManifestWasCut) {
  EXPECT_THAT(refusal_after("result.json", "cells", Json::array()),
              HasSubstr("result.json: /cells: found none, expected at least one"));
  EXPECT_THAT(refusal_after("manifest.json", "environment", Json::object()),
              HasSubstr("/environment/cpu: missing, expected a string"));
}

}  // namespace
}  // namespace pacbench::exports
