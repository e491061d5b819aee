// The service limits the memory and the tasks of each user's workers, when it has a cgroup that it
// may divide.
#include <gmock/gmock.h>
#include <unistd.h>

#include "tests/emulation/delegated_cgroup.h"
#include "tests/emulation/eventually.h"
#include "tests/emulation/service_fixture.h"

namespace pacbench {
namespace {

const std::string kGroupOfAlice = "user-64100";
const std::string kGroupOfBob = "user-64101";

class ServiceGroups : public ::testing::Test {
 protected:
  void SetUp() override {
    REQUIRE_ROOT();
    cgroup_.emplace(kServiceUser);
    if (!cgroup_->missing().empty()) GTEST_SKIP() << cgroup_->missing();
    service_.emplace(std::vector<std::string>{"--most-memory-percent", "10", "--most-tasks", "12"},
                     cgroup_->path());
  }

  std::optional<DelegatedCgroup> cgroup_;
  std::optional<ServiceFixture> service_;
};

TEST_F(ServiceGroups, EndAWorkerOfTheUserWhoTakesTooMuchMemoryAndOfNobodyElse) {
  auto bob = service_->connect(kBob);
  bob.create(star(2, 100));
  const auto bobs = bob.start_inside(0, {"/bin/sleep", "600"}, STDERR_FILENO);
  auto alice = service_->connect(kAlice);
  alice.create(star(2, 100));
  const auto small = alice.start_inside(0, {"/bin/sleep", "600"}, STDERR_FILENO);
  // tail looks for the end of an endless line, and keeps all of the line in memory.
  const auto large = alice.start_inside(1, {"/usr/bin/tail", "/dev/zero"}, STDERR_FILENO);
  const auto ended = alice.next();
  EXPECT_EQ(ended.at("process"), large.process);
  EXPECT_EQ(ended.at("signal"), SIGKILL);
  EXPECT_EQ(cgroup_->number(kGroupOfAlice, "memory.events", "oom_kill"), 1);
  EXPECT_EQ(cgroup_->number(kGroupOfBob, "memory.events", "oom_kill"), 0);
  EXPECT_EQ(::kill(small.pid, 0), 0) << "a smaller one of the same user";
  EXPECT_EQ(::kill(bobs.pid, 0), 0);
  EXPECT_NO_THROW(alice.counters());
  EXPECT_NO_THROW(bob.counters());
}

TEST_F(ServiceGroups, BoundTheTasksOfAUser) {
  auto alice = service_->connect(kAlice);
  alice.create(star(2, 100));
  alice.start_inside(
      0, {"/bin/sh", "-c", "for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14; do sleep 600 & done; wait"},
      STDERR_FILENO);
  EXPECT_TRUE(eventually([&] { return cgroup_->number(kGroupOfAlice, "pids.events", "max") > 0; }));
  EXPECT_NO_THROW(alice.counters()) << "the daemon is in another group";
  auto bob = service_->connect(kBob);
  EXPECT_NO_THROW(bob.create(star(2, 100)));
}

TEST_F(ServiceGroups, AreThereWhileTheirUserIs) {
  auto alice = service_->connect(kAlice);
  alice.create(star(2, 100));
  auto second = service_->connect(kAlice);
  second.create(star(2, 100));
  EXPECT_TRUE(cgroup_->has(kGroupOfAlice));
  second.hang_up();
  EXPECT_FALSE(cgroup_->has(kGroupOfBob));
  alice.hang_up();
  EXPECT_TRUE(eventually([&] { return !cgroup_->has(kGroupOfAlice); }));
}

}  // namespace
}  // namespace pacbench
