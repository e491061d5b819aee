#include "base/environment.h"

#include <gmock/gmock.h>

#include <cstdlib>

namespace pacbench {
namespace {

using ::testing::ElementsAre;

/// A variable of this process's environment, which the destructor removes.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_{name} { ::setenv(name, value, 1); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;
  ~Variable() { ::unsetenv(name_); }

 private:
  const char* name_;
};

TEST(Environment, TheValueOfAVariableThatIsNotSetIsEmpty) {
  const Variable set{"PACBENCH_TEST_ONE", "a value"};
  EXPECT_EQ(environment_value("PACBENCH_TEST_ONE"), "a value");
  EXPECT_EQ(environment_value("PACBENCH_TEST_NONE"), "");
}

TEST(Environment, VariablesThatAreNotSetAreNotInherited) {
  const Variable one{"PACBENCH_TEST_ONE", "1"};
  const Variable empty{"PACBENCH_TEST_EMPTY", ""};
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
