#include "analysis/compare/side.h"

#include <filesystem>

#include "tests/unit/analysis/compare/example_runs.h"
#include "tests/unit/contract/matchers.h"
#include "tests/unit/contract/refusals.h"

namespace pacbench::compare {
namespace {

std::string error_of(const std::string& argument) {
  return testing::refusal_words([&] { read_side(argument); });
}

std::string error_after(const std::function<void(Json& manifest, Json& result)>& change) {
  const TemporaryFolder folder;
  Edit edit;
  edit.files = change;
  write_run(folder.path(), 0, edit);
  return error_of(folder.path());
}

TEST(Side, IsAFolderAFolderOfFoldersOrSeveral) {
  const ExampleSide side{3};
  EXPECT_EQ(read_side(side.path()).size(), 3U);
  EXPECT_EQ(read_side(side.path() + "/run01").size(), 1U);
  EXPECT_EQ(read_side(side.path() + "/run00," + side.path() + "/run02").size(), 2U);
  EXPECT_EQ(read_side(side.path()).at(1).curves.at(0).size(), 11U);
}

TEST(Side, WithoutARunIsRefused) {
  const TemporaryFolder empty;
  EXPECT_THAT(error_of(empty.path()), HasSubstr("found no run"));
  EXPECT_THAT(error_of("/nonexistent"), HasSubstr("found no such folder"));
  std::filesystem::create_directory(empty.path() + "/other");
  EXPECT_THAT(error_of(empty.path()), HasSubstr("other: the folder is empty"));
}

TEST(Side, WithARunThatWasBrokenOffIsRefused) {
  const ExampleSide side{1};
  std::filesystem::create_directory(side.path() + "/run00/cells/fp16-100Mbps-1");
  EXPECT_THAT(error_of(side.path()), HasSubstr("broken off in cell fp16-100Mbps-1"));
  EXPECT_THAT(
      error_after([](Json&, Json& result) { result["cells"][1]["status"] = "interrupted"; }),
      HasSubstr("broken off in cell ternary-100Mbps-1"));
  EXPECT_THAT(error_after([](Json&, Json& result) { result["cells"] = Json::array(); }),
              HasSubstr("broken off in cell all-reduce-100Mbps-1"));
}

TEST(Side, WithoutACurveIsRefused) {
  const ExampleSide side{1};
  std::filesystem::remove(side.path() + "/run00/cells/ternary-100Mbps-1/curve.jsonl");
  EXPECT_THAT(error_of(side.path()), HasSubstr("ternary-100Mbps-1/curve.jsonl: missing"));
}

TEST(Side, ThatWasEditedAfterTheRunIsRefusedWithThePlace) {
  EXPECT_THAT(
      error_after([](Json&, Json& result) { result["cells"][0]["targets"][0]["tta_s"] = 1.0; }),
      HasSubstr("/cells/0/targets/0/tta_s: found 1.0 (a number), expected"));
  EXPECT_THAT(error_after([](Json& manifest, Json&) { manifest["scenario"]["workers"] = 8; }),
              HasSubstr("/scenario/workers: found 4 (a number), expected 8 (a number)"));
}

}  // namespace
}  // namespace pacbench::compare
