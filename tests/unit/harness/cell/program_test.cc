// Programs of a user's own: where they run, when they have moved something, and why they failed.
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "base/files.h"
#include "contract/catalogue/method_entry.h"
#include "harness/cell/program.h"
#include "harness/cell/program_output.h"
#include "harness/cell/program_watch.h"
#include "tests/unit/contract/refusals.h"

namespace pacbench::cell::program_test {
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

TEST(ProgramHint, TellsNoNetworkAndALostPeerFromAnotherError) {
  EXPECT_THAT(hint_for("<urlopen error [Errno -3] Temporary failure in name resolution>"),
              HasSubstr("no network but their links"));
  EXPECT_EQ(hint_for("ValueError: my own mistake"), "");
  EXPECT_TRUE(lost_a_peer("RuntimeError: ... Connection closed by peer [10.0.0.2]:3000"));
  EXPECT_FALSE(lost_a_peer("ValueError: my own mistake"));
}

class ProgramPlace : public ::testing::Test {
 protected:
  std::string refusal(const std::string& word, const std::string& folder) const {
    Scenario scenario;
    scenario.name = "mine";
    scenario.program = Program{{word}, folder, ".", 60};
    scenario.methods = {MethodEntry{
        "mine",
        Choice{kProgramMethod, {{"arguments", Json::array()}, {"environment", Json::object()}}}}};
    return testing::refusal_words([&] { require_program(scenario); });
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

constexpr std::int64_t kMillisecond = 1'000'000;
constexpr std::int64_t kFrame = 1514;
constexpr std::int64_t kAcknowledgement = 66;

Json load_line(std::int64_t at_ms, std::int64_t segments) {
  return record::NetworkTrace::load_event(0, {{"event", "sent"},
                                              {"at_ns", at_ms * kMillisecond},
                                              {"bytes", 1448 * segments},
                                              {"sent_bytes", 1448 * segments},
                                              {"segments", segments},
                                              {"segments_received", segments / 2},
                                              {"retransmits", 0}});
}

/// Counters of a load from worker 0 to worker 1, when `frames` of the load's frames have arrived.
/// `own_bytes` of the program went from worker 1 to worker 0. All crossed a trunk.
netd::CountersReply counted(std::int64_t frames, std::int64_t own_bytes = 0) {
  const auto acknowledgements = frames / 2 * kAcknowledgement;
  return {{{"worker0.up", frames * kFrame, 0, 0},
           {"worker0.down", acknowledgements + own_bytes, 0, 0},
           {"worker1.up", acknowledgements + own_bytes, 0, 0},
           {"worker1.down", frames * kFrame, 0, 0},
           {"trunk0.forward", frames * kFrame, 0, 0},
           {"trunk0.backward", acknowledgements + own_bytes, 0, 0}},
          {0, 0},
          {}};
}

/// The record of a load of 1000 frames a second until `until_ms`.
record::NetworkTrace steady_load(std::int64_t until_ms) {
  record::NetworkTrace network;
  for (std::int64_t at_ms = 100; at_ms <= until_ms; at_ms += 100) {
    network.add(EventKind::kLoad, load_line(at_ms, at_ms));
  }
  return network;
}

/// Whether has_moved() sees `own_bytes` that the program moved between 2 s and 5 s. The load's last
/// report is 0.1 s old at the first time, and `lag_ms` old at the second.
bool moves(std::int64_t own_bytes, std::int64_t lag_ms) {
  const auto before = received_at(2000 * kMillisecond, counted(2000), steady_load(1900));
  const auto now =
      received_at(5000 * kMillisecond, counted(5000, own_bytes), steady_load(5000 - lag_ms));
  return has_moved(before, now, 0);
}

TEST(ProgramTraffic, BesideALoadIsMovementAndThatOfALoadAloneIsNone) {
  EXPECT_FALSE(moves(0, 0));
  EXPECT_FALSE(moves(0, 100));
  EXPECT_FALSE(moves(0, 200)) << "what the load sent since its last report is not the program's";
  // A load of 1.5 MB/s hides what it sends in 0.2 s, and 1 % of its 4.5 MB: 0.35 MB.
  EXPECT_TRUE(moves(700'000, 0));
  EXPECT_TRUE(moves(700'000, 200));
}

TEST(ProgramTraffic, WithoutLoadsIsMovementHoweverLittleUnlessOthersMayMoveIt) {
  const record::NetworkTrace none;
  const auto before = received_at(2000 * kMillisecond, counted(0, 66), none);
  EXPECT_FALSE(has_moved(before, received_at(5000 * kMillisecond, counted(0, 66), none), 0));
  EXPECT_TRUE(has_moved(before, received_at(5000 * kMillisecond, counted(0, 132), none), 0));
  const auto has_moved_beside_others = [&](std::int64_t own_bytes) {
    const auto now = received_at(5000 * kMillisecond, counted(0, own_bytes), none);
    return has_moved({2000 * kMillisecond, 0, 0}, now, 10'000);
  };
  EXPECT_FALSE(has_moved_beside_others(29'000));
  EXPECT_TRUE(has_moved_beside_others(31'000));
}

}  // namespace
}  // namespace pacbench::cell::program_test
