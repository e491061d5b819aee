#include "base/environment.h"

#include <gmock/gmock.h>

#include <cstdlib>

namespace pacbench {
namespace {

using ::testing::ElementsAre;

TEST(Environment, VariablesThatAreNotSetAreEmptyAndNotInherited) {
  ::setenv("PACBENCH_TEST_ONE", "1", 1);
  ::setenv("PACBENCH_TEST_EMPTY", "", 1);
  EXPECT_EQ(environment_value("PACBENCH_TEST_ONE"), "1");
  EXPECT_EQ(environment_value("PACBENCH_TEST_NONE"), "");
  EXPECT_THAT(
      inherited_environment({"PACBENCH_TEST_EMPTY", "PACBENCH_TEST_NONE", "PACBENCH_TEST_ONE"}),
      ElementsAre("PACBENCH_TEST_EMPTY=", "PACBENCH_TEST_ONE=1"));
}

TEST(Environment, AVariableThatIsSetAgainHasOneEntry) {
  std::vector<std::string> environment{"ONE=1", "ONES=11", "ONE=2"};
  set_variable(environment, "ONE=3");
  EXPECT_THAT(environment, ElementsAre("ONES=11", "ONE=3"));
}

}  // namespace
}  // namespace pacbench
