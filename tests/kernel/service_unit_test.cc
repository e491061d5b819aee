// The service as systemd runs it from its unit, under a second kernel (tests/kernel/under-systemd).
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <signal.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "base/unix_socket.h"
#include "tests/emulation/eventually.h"
#include "tests/kernel/service_unit.h"

namespace pacbench {
namespace {

using ::testing::HasSubstr;

TEST_F(ServiceUnit, StartsWhenSomebodyConnects) {
  EXPECT_EQ(property("ActiveState"), "inactive");
  auto alice = connect_as(kAlice);
  alice.create(star(2, 100));
  EXPECT_EQ(property("ActiveState"), "active");
}

TEST_F(ServiceUnit, LetsNoStrangerIn) {
  const As mallory{kMallory, {}};
  EXPECT_THROW(connect_to(kUnitSocket), std::system_error);
}

TEST_F(ServiceUnit, LeavesWorkersNoPrivilegeAndItsFilter) {
  auto alice = connect_as(kAlice);
  alice.create(star(2, 100));
  const auto status = shell(alice, "exec cat /proc/self/status");
  EXPECT_THAT(status, HasSubstr(fmt::format("Uid:\t{0}\t{0}\t{0}\t{0}\n", kAlice)));
  for (const char* set : {"CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"}) {
    EXPECT_THAT(status, HasSubstr(fmt::format("{}:\t0000000000000000\n", set)));
  }
  EXPECT_THAT(status, HasSubstr("NoNewPrivs:\t1\n"));
  EXPECT_THAT(status, HasSubstr("Seccomp:\t2\n"));
  EXPECT_THAT(shell(alice, "unshare --user true 2>&1 || true"), HasSubstr("not permitted"));
}

TEST_F(ServiceUnit, ShowsWorkersThemselvesInProcAndNobodyElse) {
  auto alice = connect_as(kAlice);
  alice.create(star(2, 100));
  const auto processes =
      shell(alice, "read pid rest </proc/self/stat; cd /proc; set -- $pid $$ [0-9]*; echo $*");
  EXPECT_EQ(processes, fmt::format("{0} {0} 1 {0}\n", std::stoi(processes)))
      << "twice its own number, the session's first process, itself";
}

TEST_F(ServiceUnit, EndsAWorkerOfTheUserWhoTakesTooMuchMemoryAndNothingElse) {
  auto bob = connect_as(kBob);
  bob.create(star(2, 100));
  const auto bobs = start_sleeper(bob);
  const auto daemon = property("MainPID");
  auto alice = connect_as(kAlice);
  alice.create(star(2, 100));
  EXPECT_THAT(shell(alice, "cat /proc/self/cgroup"),
              HasSubstr(fmt::format("pacbench-netd.service/user-{}\n", kAlice)));
  const auto large = alice.start_inside(1, {"/usr/bin/tail", "/dev/zero"}, STDERR_FILENO);
  const auto ended = alice.next();
  EXPECT_EQ(ended.at("process"), large.process);
  EXPECT_EQ(ended.at("signal"), SIGKILL);
  EXPECT_NO_THROW(alice.counters());
  EXPECT_NO_THROW(bob.counters());
  EXPECT_EQ(::kill(bobs.pid, 0), 0);
  EXPECT_EQ(property("MainPID"), daemon);
  EXPECT_EQ(property("Result"), "success");
}

TEST_F(ServiceUnit, ComesBackAfterItWasKilledAndEndsWhatItHadStarted) {
  auto alice = connect_as(kAlice);
  alice.create(star(2, 100));
  const auto worker = start_sleeper(alice);
  const auto before = property("MainPID");
  ASSERT_EQ(::kill(std::stoi(before), SIGKILL), 0);
  EXPECT_TRUE(ends(worker.pid));
  EXPECT_TRUE(eventually([&] {
    const auto now = property("MainPID");
    return now != "0" && now != before;
  }));
  auto again = connect_as(kAlice);
  EXPECT_NO_THROW(again.create(star(2, 100)));
}

TEST_F(ServiceUnit, LeavesNothingWhenItIsStopped) {
  auto alice = connect_as(kAlice);
  alice.create(star(2, 100));
  const auto worker = start_sleeper(alice);
  run_checked({"systemctl", "stop", "pacbench-netd.service", "pacbench-netd.socket"});
  EXPECT_TRUE(ends(worker.pid));
  EXPECT_FALSE(std::filesystem::exists(kUnitCgroup));
  EXPECT_FALSE(std::filesystem::exists(kUnitSocket));
  EXPECT_FALSE(std::filesystem::exists(kUnitState));
}

}  // namespace
}  // namespace pacbench
