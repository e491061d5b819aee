#include "harness/run/reruns.h"

#include <gmock/gmock.h>

#include <filesystem>

#include "base/files.h"
#include "harness/store/tries.h"

namespace pacbench::run {
namespace {

using ::testing::SizeIs;

CellResult disturbed(std::int64_t iterations, double disturbed_iterations) {
  CellResult result;
  result.iterations = iterations;
  result.disturbed_iterations = disturbed_iterations;
  result.taken_share = 0.3;
  result.machine_verdict = Verdict{"disturbed", {"others"}};
  return result;
}

TEST(Reruns, AreForCellsOfWhichHardlyAnIterationWasQuiet) {
  EXPECT_TRUE(is_too_disturbed(disturbed(150, 140)));
  EXPECT_FALSE(is_too_disturbed(disturbed(150, 130))) << "20 quiet ones are enough";
  EXPECT_FALSE(is_too_disturbed(disturbed(1000, 970)));
  EXPECT_FALSE(is_too_disturbed(disturbed(24, 21))) << "an eighth was quiet";
  EXPECT_TRUE(is_too_disturbed(disturbed(1, 0))) << "a program without steps, a third of it taken";
  auto other = disturbed(150, 140);
  other.machine_verdict->word = "ok";
  EXPECT_FALSE(is_too_disturbed(other));
  other = disturbed(150, 140);
  other.status = CellStatus::kFailed;
  EXPECT_FALSE(is_too_disturbed(other));
}

TEST(Tries, KeepEachFolderAndGiveOneBack) {
  namespace fs = std::filesystem;
  const TemporaryFolder run;
  const auto cell = run.path() + "/cells/a-wan-1";
  for (const char* content : {"first", "second", "third"}) {
    fs::create_directories(cell);
    write_file_atomically(cell + "/events.jsonl", content);
    if (std::string{content} != "third") store::set_aside(run.path(), "a-wan-1");
  }
  const auto tries = store::earlier_tries(run.path(), "a-wan-1");
  ASSERT_THAT(tries, SizeIs(2));
  store::bring_back(run.path(), "a-wan-1", tries[0]);
  EXPECT_EQ(read_file(cell + "/events.jsonl"), "first");
  EXPECT_EQ(read_file(tries[0] + "/events.jsonl"), "third");
  EXPECT_EQ(read_file(tries[1] + "/events.jsonl"), "second");
}

}  // namespace
}  // namespace pacbench::run
