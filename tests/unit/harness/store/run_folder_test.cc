#include "harness/store/run_folder.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "tests/unit/harness/example.h"
#include "tests/unit/harness/example_manifest.h"

namespace pacbench::store::run_folder_test {
namespace {

TEST(RunFolder, IsForOnePacbenchAtATimeAndTouchesNothingOfAnotherFolder) {
  const TemporaryFolder folder;
  const auto run = RunFolder::create(folder.path() + "/run");
  run.write_manifest(example_manifest());
  EXPECT_THROW(RunFolder::open(run.path()), ConfigError);
  EXPECT_THROW(RunFolder::create(folder.path()), ConfigError);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator{folder.path()}, {}), 1);
  EXPECT_THROW(RunFolder::open(folder.path()), ConfigError);
}

TEST(RunFolder, ResultHoldsTheRecordedCellsInTheirOrder) {
  const TemporaryFolder folder;
  const auto scenario = fake_scenario();
  const auto cells = plan::plan(scenario);
  const auto run = RunFolder::create(folder.path());
  for (const auto index : {3u, 0u}) {
    CellResult result;
    result.label = cells[index].method.label;
    result.link = cells[index].link.name;
    result.seed = cells[index].seed;
    run.start(cells[index]);
    run.finish(cells[index], result);
  }
  const auto result = run.write_result(scenario);
  ASSERT_EQ(result.cells.size(), 2u);
  EXPECT_EQ(result.cells[0].label, "a");
  EXPECT_EQ(result.cells[1].label, "b");
  EXPECT_FALSE(run.recorded(cells[1]));
  const auto path = folder.path() + "/result.json";
  EXPECT_EQ(run_result_from_json(path, read_json_file(path)).cells.size(), 2u);
}

}  // namespace
}  // namespace pacbench::store::run_folder_test
