#include "harness/cell/program_hint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

namespace pacbench::cell {
namespace {

using ::testing::HasSubstr;

TEST(ProgramHint, NamesAVariableThatTheShellHasAndRanksDoNotGet) {
  ::setenv("PACBENCH_TEST_DATA", "/data", 1);
  EXPECT_THAT(hint_for("KeyError: 'PACBENCH_TEST_DATA'"), HasSubstr("--env PACBENCH_TEST_DATA"));
  EXPECT_THAT(hint_for("run.sh: line 2: PACBENCH_TEST_DATA: unbound variable"),
              HasSubstr("--env PACBENCH_TEST_DATA"));
  ::unsetenv("PACBENCH_TEST_DATA");
  EXPECT_EQ(hint_for("KeyError: 'PACBENCH_TEST_DATA'"), "");
}

TEST(ProgramHint, SaysThatRanksHaveNoNetworkButTheirLinks) {
  EXPECT_THAT(hint_for("<urlopen error [Errno -3] Temporary failure in name resolution>"),
              HasSubstr("no network but their links"));
  EXPECT_EQ(hint_for("ValueError: my own mistake"), "");
}

TEST(ProgramHint, TellsALostPeerFromAnotherError) {
  EXPECT_TRUE(lost_a_peer("RuntimeError: ... Connection closed by peer [10.0.0.2]:3000"));
  EXPECT_FALSE(lost_a_peer("ValueError: my own mistake"));
}

}  // namespace
}  // namespace pacbench::cell
