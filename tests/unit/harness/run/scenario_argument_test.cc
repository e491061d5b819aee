// Each command that takes a scenario accepts a file or a name.
#include "tests/unit/harness/runner.h"

namespace pacbench::run {
namespace {

using ::testing::AllOf;
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
  const auto dry = there({"run", "scenario", "--dry-run", "--out", out()});
  EXPECT_EQ(dry.status.code, 0) << dry.err;
  EXPECT_THAT(dry.out, AllOf(StartsWith("fake: 8 cells"), HasSubstr("a-slow-1")));
  EXPECT_FALSE(std::filesystem::exists(out()));
  const auto valid = there({"validate", "scenario"});
  EXPECT_THAT(valid.out, StartsWith("scenario.json: valid, 8 cells"));
  EXPECT_EQ(there({"profile", "scenario", "-o", "p.json"}).status.code, 0);
}

TEST_F(ScenarioArgument, ThatIsNowhereIsRefusedWithTheNearestName) {
  EXPECT_EQ(there({"validate", "wan10"}).status.code, 2);
  EXPECT_THAT(there({"profile", "wan10"}).err, HasSubstr("did you mean \"wan100\"?"));
  EXPECT_THAT(there({"profile", "modle"}).err, HasSubstr("did you mean \"model\"?"));
}

}  // namespace
}  // namespace pacbench::run
