// Each command that takes a scenario accepts a file or a name.
#include "tests/unit/harness/runner.h"

namespace pacbench::run {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class ScenarioArgument : public RunnerTest {
 protected:
  /// Runs a command in the folder of scenario.json.
  Output there(const std::vector<std::string>& words) const {
    return start_command(words, {"env", "-C", path("")}).finish();
  }
};

TEST_F(ScenarioArgument, IsAFileOfTheCurrentDirectoryWithoutItsEnding) {
  const auto dry = there({"run", "scenario", "--dry-run"});
  EXPECT_EQ(dry.status.code, 0) << dry.err;
  EXPECT_THAT(dry.out, StartsWith("fake: 8 cells"));
  const auto valid = there({"validate", "scenario"});
  EXPECT_THAT(valid.out, StartsWith("scenario.json: valid, 8 cells"));
  EXPECT_EQ(there({"profile", "scenario", "-o", "p.json"}).status.code, 0);
}

TEST_F(ScenarioArgument, IsReadHereThoughPacbenchHasOneOfThatName) {
  write_file_atomically(path("wan100.json"), fake_scenario_json().dump());
  EXPECT_THAT(there({"run", "wan100", "--dry-run"}).out, StartsWith("fake: 8 cells"));
}

TEST_F(ScenarioArgument, ThatIsNowhereIsRefusedWithTheNearestName) {
  for (const char* command : {"run", "validate", "profile"}) {
    const auto refused = there({command, "wan10"});
    EXPECT_EQ(refused.status.code, 2) << command;
    EXPECT_THAT(refused.err, HasSubstr("did you mean \"wan100\"?")) << command;
  }
  EXPECT_THAT(there({"profile", "modle"}).err, HasSubstr("did you mean \"model\"?"));
}

}  // namespace
}  // namespace pacbench::run
