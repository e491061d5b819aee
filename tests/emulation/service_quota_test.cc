// Limits on what one user may have of a shared daemon.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sched.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <fstream>
#include <latch>
#include <thread>

#include "base/check.h"
#include "base/token_bucket.h"
#include "tests/emulation/fixtures.h"
#include "tests/emulation/service_fixture.h"

namespace pacbench {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

using ServiceQuota = AsRoot;

std::string refusal(DaemonClient& client, int workers) {
  return client.ask(to_json(star(workers, 100))).value("message", "not refused");
}

TEST_F(ServiceQuota, FabricsAreCountedForEachUser) {
  const ServiceFixture service{{"--most-fabrics", "1"}};
  auto first = service.fabric_of(kAlice);
  auto second = service.connect(kAlice);
  EXPECT_THAT(refusal(second, 2),
              HasSubstr("user 64100 would have 2 fabrics with 4 workers in all; this service "
                        "allows at most 1 fabrics with 256 workers"));
  EXPECT_NO_THROW(service.fabric_of(kBob)) << "another user's own";
  first.hang_up();
  EXPECT_NO_THROW(second.create(star(2, 100))) << "there is room again";
}

TEST_F(ServiceQuota, WorkersAreCountedOverAllFabricsOfAUser) {
  const ServiceFixture service{{"--most-workers", "5"}};
  auto first = service.connect(kAlice);
  first.create(star(3, 100));
  auto second = service.connect(kAlice);
  EXPECT_THAT(refusal(second, 3), HasSubstr("2 fabrics with 6 workers"));
  EXPECT_NO_THROW(second.create(star(2, 100))) << "a smaller one fits, on the same connection";
}

TEST_F(ServiceQuota, OfUsersWhoAskAtOnceTakesNoMoreThanThereIsRoomFor) {
  const ServiceFixture service{{"--most-users", "1"}};
  for (int round = 0; round < 3; ++round) {
    std::vector<DaemonClient> users;
    for (uid_t uid = kAlice; uid < kAlice + 12; ++uid) users.push_back(service.connect(uid));
    std::latch all_are_ready{static_cast<std::ptrdiff_t>(users.size())};
    std::atomic<int> taken = 0;
    {
      std::vector<std::jthread> threads;
      for (auto& user : users) {
        threads.emplace_back([&] {
          all_are_ready.arrive_and_wait();
          if (refusal(user, 2) == "not refused") ++taken;
        });
      }
    }
    EXPECT_EQ(taken, 1) << "in round " << round;
  }
}

TEST_F(ServiceQuota, QueuesAreCountedOverAllFabricsOfAUser) {
  const ServiceFixture service{{"--most-queue-mb", "100"}};
  auto alice = service.connect(kAlice);
  auto request = star(2, 100);
  for (auto& worker : request.workers) worker.up.queue_bytes = 20'000'000;
  alice.create(request);
  auto second = service.connect(kAlice);
  for (auto& worker : request.workers) worker.up.queue_bytes = 40'000'000;
  EXPECT_THAT(second.ask(to_json(request)).value("message", "not refused"),
              HasSubstr("this service allows 100 MB"));
  EXPECT_NO_THROW(second.create(star(2, 100)));
  EXPECT_NO_THROW(service.connect(kBob).create(request)) << "another user's own";
}

TEST_F(ServiceQuota, NamespacesAreCountedThatAUserMakesInAnHour) {
  ServiceFixture service{{"--most-namespaces-per-hour", "5"}};
  auto first = service.connect(kAlice);
  EXPECT_THAT(refusal(first, 8),
              AllOf(HasSubstr("needs 9"), HasSubstr("5 in an hour"), Not(HasSubstr("inf"))));
  EXPECT_NO_THROW(first.create(star(4, 100))) << "the refused one took nothing";
  auto second = service.connect(kAlice);
  EXPECT_THAT(refusal(second, 4), HasSubstr("allows a user 5 new network namespaces in an hour"));
  EXPECT_NO_THROW(service.connect(kBob).create(star(4, 100))) << "another user's own";
  service.kill();
  service.start();
  auto third = service.connect(kAlice);
  EXPECT_THAT(refusal(third, 4), HasSubstr("in an hour")) << "it outlives the service";
}

TEST_F(ServiceQuota, ABudgetOfBeforeTheMachineStartedIsWhole) {
  ServiceFixture service{{"--most-namespaces-per-hour", "5"}};
  service.connect(kAlice).create(star(4, 100));
  // The clock of budgets starts at 0 with the machine, so the time in this older file is in the
  // future.
  const TokenBucket::State before{0, 1e9};
  std::ofstream{fmt::format("{}/user-{}.lock", service.state(), kAlice)}.write(
      reinterpret_cast<const char*>(&before), sizeof before);
  EXPECT_NO_THROW(service.connect(kAlice).create(star(4, 100)));
}

/// Moves this process into a user namespace that maps all users to themselves. In it, each user may
/// have at most `most_network_namespaces`.
void enter_user_namespace(int most_network_namespaces) {
  auto inside = Pipe::create();
  const auto parent = ::getpid();
  const auto pid = check("fork", ::fork());
  if (pid == 0) {
    char byte = 0;
    check("read", ::read(inside.read.get(), &byte, 1));
    for (const char* map : {"uid_map", "gid_map"}) {
      std::ofstream{fmt::format("/proc/{}/{}", parent, map)} << "0 0 4294967295\n";
    }
    ::_exit(0);
  }
  check("unshare", ::unshare(CLONE_NEWUSER));
  check("write", ::write(inside.write.get(), "", 1));
  ChildProcess{pid}.wait();
  std::ofstream{"/proc/sys/user/max_net_namespaces"} << most_network_namespaces;
}

TEST_F(ServiceQuota, TheKernelCountsNamespacesByTheUserWhoAsksForThem) {
  enter_user_namespace(10);
  const ServiceFixture service;
  auto alice = service.connect(kAlice);
  alice.create(star(8, 100));
  auto bob = service.connect(kBob);
  EXPECT_NO_THROW(bob.create(star(8, 100))) << "hers are not counted as his";
  auto more = service.connect(kAlice);
  EXPECT_THAT(refusal(more, 4), HasSubstr("No space left on device"));
  auto third = service.connect(kAlice);
  EXPECT_THAT(refusal(third, 2), HasSubstr("allows this user no more network namespaces"))
      << "she has one for the switches of each connection";
  alice.hang_up();
  // The kernel removes Alice's namespaces later, from a work queue.
  std::string reason;
  for (int tries = 0; tries < 100 && reason != "not refused"; ++tries) {
    reason = refusal(more, 4);
    if (reason != "not refused") std::this_thread::sleep_for(std::chrono::milliseconds{50});
  }
  EXPECT_EQ(reason, "not refused");
}

TEST_F(ServiceQuota, RequestsAreAnsweredAtTheRateOfARunAndNoFaster) {
  const ServiceFixture service;
  auto alice = service.fabric_of(kAlice);
  const auto start = std::chrono::steady_clock::now();
  // The service answers 500 requests at once, and then 100 a second.
  for (int i = 0; i < 650; ++i) ASSERT_EQ(alice.ask({{"type", "nothing"}}).at("type"), "error");
  EXPECT_GT(std::chrono::steady_clock::now() - start, std::chrono::milliseconds{1400});
}

TEST_F(ServiceQuota, RootHasNone) {
  const ServiceFixture service{{"--most-fabrics", "1", "--most-workers", "1"}};
  auto first = service.fabric_of(0);
  EXPECT_NO_THROW(service.fabric_of(0));
}

TEST_F(ServiceQuota, ConnectionsWithoutAFabricAreBoundedToo) {
  const ServiceFixture service;
  std::vector<DaemonClient> idle;
  for (int i = 0; i < 32; ++i) idle.push_back(service.connect(kAlice));
  auto one_more = service.connect(kAlice);
  EXPECT_THAT(one_more.next().value("message", ""), HasSubstr("32 of them of user 64100"));
  EXPECT_NO_THROW(service.fabric_of(kBob));
}

TEST_F(ServiceQuota, AConnectionEndsWithTheReasonWhenItsTimeIsUp) {
  const ServiceFixture service{{"--most-hours", "0.001"}};
  auto alice = service.fabric_of(kAlice);
  const auto worker = alice.start_inside(0, {"/bin/sleep", "60"}, STDERR_FILENO).pid;
  EXPECT_THAT(alice.next().value("message", ""), HasSubstr("has lasted 0.001 hours"));
  EXPECT_TRUE(alice.next().is_null()) << "closed";
  EXPECT_TRUE(ends(worker));
}

}  // namespace
}  // namespace pacbench
