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

TEST_F(ScenarioArgument, ThatIsWrongEndsWithTwoItsPlaceAndNothingWritten) {
  auto scenario = fake_scenario_json();
  scenario["workers"] = "8";
  scenario["methods"][1]["label"] = "a";
  write_scenario(scenario);
  const auto output = run({"--out", out()});
  EXPECT_EQ(output.status.code, 2);
  EXPECT_THAT(output.err, HasSubstr("scenario.json: /workers: found \"8\" (a string)"));
  EXPECT_THAT(output.err, HasSubstr("scenario.json: /methods/1/label: two methods have the label"));
  EXPECT_EQ(output.out, "");
  EXPECT_FALSE(std::filesystem::exists(out()));
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
