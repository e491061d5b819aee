#include "base/nearest.h"

#include <gtest/gtest.h>

namespace pacbench {
namespace {

const std::vector<std::string> kCommands{"run", "recount", "report", "validate"};

TEST(Nearest, IsTheWordWithTheFewestLettersToChange) {
  EXPECT_EQ(nearest("runn", kCommands), "run");
  EXPECT_EQ(nearest("repor", kCommands), "report");
  EXPECT_EQ(nearest("recuont", kCommands), "recount");
  EXPECT_EQ(nearest("vlidat", kCommands), "validate");
}

TEST(Nearest, IsNoneWhenMoreThanOneAndAThirdOfTheLettersWouldChange) {
  EXPECT_EQ(nearest("go", {"run"}), std::nullopt);
  EXPECT_EQ(nearest("x", {"y"}), "y");
  EXPECT_EQ(nearest("wan", {"w1234"}), std::nullopt);
  EXPECT_EQ(nearest("anything", {}), std::nullopt);
}

TEST(Nearest, IsTheFirstOfSeveralThatAreAsNear) {
  EXPECT_EQ(nearest("wan200", {"wan100", "wan500"}), "wan100");
}

TEST(Nearest, IsNamedInAQuestionOrNotAtAll) {
  EXPECT_EQ(did_you_mean("runn", kCommands), "; did you mean \"run\"?");
  EXPECT_EQ(did_you_mean("quit", kCommands), "");
}

}  // namespace
}  // namespace pacbench
