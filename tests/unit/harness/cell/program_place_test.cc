#include "harness/cell/program_place.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "base/errors.h"
#include "base/files.h"
#include "contract/catalogue/program_method.h"

namespace pacbench::cell {
namespace {

using ::testing::HasSubstr;

class ProgramPlace : public ::testing::Test {
 protected:
  std::string refusal(const std::string& word, const std::string& folder) const {
    Scenario scenario;
    scenario.name = "mine";
    scenario.program = Program{{word}, folder, ".", 60};
    scenario.methods = {MethodEntry{
        "mine",
        Choice{kProgramMethod, {{"arguments", Json::array()}, {"environment", Json::object()}}}}};
    try {
      require_program(scenario);
    } catch (const ConfigError& error) {
      return error.what();
    }
    return "";
  }

  TemporaryFolder folder_;
};

TEST_F(ProgramPlace, HasTheFolderAndTheProgram) {
  EXPECT_EQ(refusal("sh", folder_.path()), "");
  EXPECT_EQ(refusal("/bin/sh", folder_.path() + "/"), "");
  EXPECT_THAT(refusal("no-such-program", folder_.path()), HasSubstr("is no program in PATH"));
  EXPECT_THAT(refusal("./train.py", folder_.path()), HasSubstr("may be run (from"));
  EXPECT_THAT(refusal("sh", folder_.path() + "/none"), HasSubstr("found no folder"));
}

TEST_F(ProgramPlace, MayBeEnteredWithoutSpecialRights) {
  const auto home = folder_.path() + "/home";
  std::filesystem::create_directories(home + "/mine");
  ::chmod(home.c_str(), 0700);
  if (::geteuid() == 0) {
    ASSERT_EQ(::chown(home.c_str(), 1234, 1234), 0);
  } else {
    ::chmod(home.c_str(), 0600);
  }
  EXPECT_THAT(refusal("sh", home + "/mine"), HasSubstr("chmod o+x " + home));
  ::chmod(home.c_str(), 0755);
  EXPECT_EQ(refusal("sh", home + "/mine"), "");
}

}  // namespace
}  // namespace pacbench::cell
