// The service as systemd runs it from its unit, under a second kernel (tests/kernel/under-systemd).
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <signal.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "base/files.h"
#include "base/unix_socket.h"
#include "tests/emulation/eventually.h"
#include "tests/kernel/service_unit.h"

namespace pacbench {
namespace {

using ::testing::HasSubstr;

/// A file of the cgroup of a user's workers.
std::string group_file(uid_t user, const std::string& name) {
  return fmt::format("{}/user-{}/{}", kUnitCgroup, user, name);
}

TEST_F(ServiceUnit, StartsWhenSomebodyConnectsWhoIsNoStranger) {
  {
    const As mallory{kMallory, {}};
    EXPECT_THROW(connect_to(kUnitSocket), std::system_error);
  }
  EXPECT_EQ(property("ActiveState"), "inactive");
  auto alice = fabric_of(kAlice);
  EXPECT_EQ(property("ActiveState"), "active");
}

TEST_F(ServiceUnit, LeavesWorkersNoPrivilegeItsFilterAndOnlyThemselvesInProc) {
  auto alice = fabric_of(kAlice);
  const auto status = shell(alice, "exec cat /proc/self/status");
  EXPECT_THAT(status, HasSubstr(fmt::format("Uid:\t{0}\t{0}\t{0}\t{0}\n", kAlice)));
  for (const char* set : {"CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"}) {
    EXPECT_THAT(status, HasSubstr(fmt::format("{}:\t0000000000000000\n", set)));
  }
  EXPECT_THAT(status, HasSubstr("NoNewPrivs:\t1\n"));
  EXPECT_THAT(status, HasSubstr("Seccomp:\t2\n"));
  EXPECT_THAT(shell(alice, "unshare --user true 2>&1 || true"), HasSubstr("not permitted"));
  const auto processes =
      shell(alice, "read pid rest </proc/self/stat; cd /proc; set -- $pid $$ [0-9]*; echo $*");
  EXPECT_EQ(processes, fmt::format("{0} {0} 1 {0}\n", std::stoi(processes)))
      << "twice its own number, the session's first process, itself";
}

TEST_F(ServiceUnit, EndsAWorkerOfTheUserWhoTakesTooMuchMemoryAndNothingElse) {
  auto bob = fabric_of(kBob);
  const auto bobs = start_sleeper(bob);
  const auto daemon = property("MainPID");
  auto alice = fabric_of(kAlice);
  EXPECT_THAT(shell(alice, "cat /proc/self/cgroup"),
              HasSubstr(fmt::format("pacbench-netd.service/user-{}\n", kAlice)));
  const auto small = start_sleeper(alice);
  const auto large = alice.start_inside(1, {"/usr/bin/tail", "/dev/zero"}, STDERR_FILENO);
  const auto ended = alice.next();
  EXPECT_EQ(ended.at("process"), large.process);
  EXPECT_EQ(ended.at("signal"), SIGKILL);
  EXPECT_THAT(read_file(group_file(kAlice, "memory.events")), HasSubstr("oom_kill 1\n"));
  EXPECT_THAT(read_file(group_file(kBob, "memory.events")), HasSubstr("oom_kill 0\n"));
  EXPECT_NO_THROW(alice.counters());
  EXPECT_NO_THROW(bob.counters());
  EXPECT_EQ(::kill(small.pid, 0), 0) << "a smaller one of the same user";
  EXPECT_EQ(::kill(bobs.pid, 0), 0);
  EXPECT_EQ(property("MainPID"), daemon);
  EXPECT_EQ(property("Result"), "success");
}

TEST_F(ServiceUnit, BoundsTheTasksOfAUserWhoseGroupGoesWithTheLastSession) {
  auto alice = fabric_of(kAlice);
  fabric_of(kAlice).hang_up();
  EXPECT_EQ(read_file(group_file(kAlice, "pids.max")), "8192\n");
  set_kernel_setting(group_file(kAlice, "pids.max"), "12");
  alice.start_inside(0, {"/bin/sh", "-c", "for i in $(seq 14); do sleep 600 & done; wait"},
                     STDERR_FILENO);
  EXPECT_TRUE(
      eventually([&] { return read_file(group_file(kAlice, "pids.events")) != "max 0\n"; }));
  EXPECT_NO_THROW(alice.counters()) << "the daemon is in another group";
  EXPECT_NO_THROW(fabric_of(kBob));
  alice.hang_up();
  EXPECT_TRUE(eventually([&] { return !std::filesystem::exists(group_file(kAlice, "")); }));
}

TEST_F(ServiceUnit, ComesBackAfterItWasKilledAndEndsWhatItHadStarted) {
  auto alice = fabric_of(kAlice);
  const auto worker = start_sleeper(alice);
  const auto before = property("MainPID");
  ASSERT_EQ(::kill(std::stoi(before), SIGKILL), 0);
  EXPECT_TRUE(ends(worker.pid));
  EXPECT_TRUE(eventually([&] {
    const auto now = property("MainPID");
    return now != "0" && now != before;
  }));
  EXPECT_NO_THROW(fabric_of(kAlice));
}

TEST_F(ServiceUnit, LeavesNothingWhenItIsStopped) {
  auto alice = fabric_of(kAlice);
  const auto worker = start_sleeper(alice);
  run_checked({"systemctl", "stop", "pacbench-netd.service", "pacbench-netd.socket"});
  EXPECT_TRUE(ends(worker.pid));
  EXPECT_FALSE(std::filesystem::exists(kUnitCgroup));
  EXPECT_FALSE(std::filesystem::exists(kUnitSocket));
  EXPECT_FALSE(std::filesystem::exists(kUnitState));
}

}  // namespace
}  // namespace pacbench
