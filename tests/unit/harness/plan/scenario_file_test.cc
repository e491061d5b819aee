// The file that a typed scenario name stands for.
#include "harness/plan/scenario_file.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <filesystem>

#include "base/files.h"
#include "tests/unit/contract/refusals.h"

namespace pacbench::plan::scenario_file_test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

/// Two folders of scenarios, and a current directory apart from them.
class ScenarioFiles : public ::testing::Test {
 protected:
  ScenarioFiles() {
    for (const char* file : {"installed/both.json", "source/both.json", "source/paper/fig5.json",
                             "source/paper/fig5.profile.json", "source/README.md"}) {
      write(file);
    }
    fs::create_directory(folder_.path() + "/here");
    fs::current_path(folder_.path() + "/here");
  }
  ~ScenarioFiles() override { fs::current_path(before_); }

  void write(const std::string& file) const {
    fs::create_directories(fs::path{path(file)}.parent_path());
    write_file_atomically(path(file), "{}");
  }

  std::string path(const std::string& file) const { return folder_.path() + "/" + file; }

  std::string found(const std::string& argument) const {
    return find_scenario(argument, folders_).value_or("nothing");
  }

  TemporaryFolder folder_;
  fs::path before_ = fs::current_path();
  std::vector<std::string> folders_{path("installed"), path("source")};
};

TEST_F(ScenarioFiles, AreFoundByNameInTheCurrentDirectoryElseInTheFirstFolderThatHasThem) {
  EXPECT_EQ(found("both"), path("installed/both.json"));
  EXPECT_EQ(found("both.json"), path("installed/both.json"));
  EXPECT_EQ(found("paper/fig5"), path("source/paper/fig5.json"));
  write("here/both.json");
  EXPECT_EQ(found("both.json"), "both.json");
  EXPECT_EQ(found("both"), "both.json");
  EXPECT_EQ(found(path("source/both.json")), path("source/both.json"));
}

TEST_F(ScenarioFiles, AreNoFoldersAndNoOtherFiles) {
  fs::create_directory(path("here/both"));
  EXPECT_EQ(found("both"), path("installed/both.json"));
  EXPECT_EQ(found("paper"), "nothing");
  EXPECT_EQ(found("README.md"), "nothing");
}

TEST_F(ScenarioFiles, AreListedOnceEachWithoutProfilesThatLieBesideThem) {
  std::vector<std::string> lines;
  for (const auto& each : shipped_scenarios(folders_)) lines.push_back(each.name + " " + each.path);
  EXPECT_THAT(lines,
              ::testing::ElementsAre(fmt::format("both {}", path("installed/both.json")),
                                     fmt::format("paper/fig5 {}", path("source/paper/fig5.json"))));
}

TEST_F(ScenarioFiles, LeaveTheSpeedOfTimeToTheMachineUnlessTheyNameIt) {
  EXPECT_EQ(read_scenario(path("source/both.json"))["time_dilation"], "auto");
  write_file_atomically(path("source/both.json"), R"({"time_dilation": 1})");
  EXPECT_EQ(read_scenario(path("source/both.json"))["time_dilation"], 1);
}

std::string refusal(const std::string& argument) {
  return testing::refusal_words([&] { scenario_path(argument); });
}

TEST_F(ScenarioFiles, AreFoundFromAnywhereOrRefusedWithTheNearestNameAndWhereItLooked) {
  EXPECT_EQ(scenario_path("wan100"), PACBENCH_SOURCE_DIR "/scenarios/wan100.json");
  EXPECT_THAT(refusal("fig5-resnet152-cifar10"), HasSubstr("\"paper/fig5-resnet152-cifar10\""));
  EXPECT_THAT(refusal("xyzzy"), HasSubstr("pacbench list scenarios"));
  EXPECT_THAT(refusal(path("source")), HasSubstr("is a folder"));
  EXPECT_THAT(refusal("train.py"),
              HasSubstr("pacbench exec -n 2 --rate 100mbit -- python3 train.py"));
}

}  // namespace
}  // namespace pacbench::plan::scenario_file_test
