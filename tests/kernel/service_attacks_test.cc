// Two users of the service, which systemd runs from its unit, attack each other. Each test tries an
// attack, and asks the kernel what came of it.
#include <arpa/inet.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sched.h>
#include <signal.h>
#include <sys/socket.h>

#include <chrono>
#include <regex>
#include <sstream>

#include "base/check.h"
#include "base/process_identity.h"
#include "base/readable.h"
#include "tests/emulation/eventually.h"
#include "tests/emulation/served_folder.h"
#include "tests/kernel/service_unit.h"

namespace pacbench {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using Clock = std::chrono::steady_clock;

/// The process that serves a connection is the parent of the connection's workers.
ProcessIdentity session_of(const netd::SpawnedReply& worker) {
  std::istringstream lines{read_file(fmt::format("/proc/{}/status", worker.pid))};
  for (std::string word; lines >> word;) {
    pid_t parent = 0;
    if (word == "PPid:" && lines >> parent) return ProcessIdentity::of(parent).value();
  }
  throw std::runtime_error{"no PPid"};
}

int scheduler_of(const ProcessIdentity& process) {
  return check("sched_getscheduler", ::sched_getscheduler(process.pid)) & ~SCHED_RESET_ON_FORK;
}

std::string refusal(DaemonClient& client, const netd::CreateRequest& request) {
  return client.ask(to_json(request)).value("message", "not refused");
}

TEST_F(ServiceAttacks, GivesAProgramNoFileThatItsUserServes) {
  const ServedFolder served{kAlice};
  if (!served.there()) GTEST_SKIP() << "there is no FUSE here";
  auto alice = fabric_of(kAlice);
  const auto file = served.open();
  const auto refused =
      alice.ask(to_json(netd::SpawnRequest{0, {"/bin/true"}, {}}), {0, 1, 2, file.get()});
  EXPECT_THAT(refused.value("message", ""), HasSubstr("descriptor 3 is a file on FUSE"));
  const auto session = session_of(start_sleeper(alice));
  alice.hang_up();
  EXPECT_TRUE(eventually([&] { return !session.running(); })) << "nothing keeps it from ending";
}

TEST_F(ServiceAttacks, AnswersRequestsInTheOrdinaryClassWhileAScheduleLasts) {
  auto alice = fabric_of(kAlice);
  const auto session = session_of(start_sleeper(alice));
  EXPECT_EQ(scheduler_of(session), SCHED_OTHER);
  const netd::ScheduleRequest request{{"worker0.up"}, {{0, 50}, {600'000, 100}}, 0};
  ASSERT_EQ(alice.ask(to_json(request)).at("type"), "scheduled");
  ASSERT_EQ(alice.next().at("type"), "stepped");
  EXPECT_TRUE(eventually([&] { return scheduler_of(session) == SCHED_RR; }))
      << "the unit lets it run before the workers";
  // This request takes long: the daemon tries each feature in a namespace of its own.
  alice.connection().send(netd::features_request());
  EXPECT_TRUE(eventually([&] { return scheduler_of(session) == SCHED_OTHER; }));
  int times = 0;
  for (;; ++times) {
    const int now = scheduler_of(session);
    if (readable(alice.connection().fd(), 1)) break;
    ASSERT_EQ(now, SCHED_OTHER) << "before the reply, after " << times << " times";
  }
  EXPECT_GT(times, 0);
  EXPECT_EQ(alice.next().at("type"), "features");
  EXPECT_TRUE(eventually([&] { return scheduler_of(session) == SCHED_RR; }));
  EXPECT_THAT(shell(alice, "chrt --rr 10 true && ! chrt --rr 11 true 2>/dev/null && echo bounded"),
              "bounded\n")
      << "no worker has the daemon's priority";
}

/// The bytes that all queues in the network namespace of a process may hold, as tc shows them.
std::int64_t queued_bytes_at(pid_t pid) {
  const auto text = run_in_namespace_of(pid, {"/usr/sbin/tc", "-r", "qdisc", "show"});
  static const std::regex kQueue{"bfifo .*limit ([0-9]+)b"};
  std::int64_t sum = 0;
  for (std::sregex_iterator at{text.begin(), text.end(), kQueue}, end; at != end; ++at) {
    sum += std::stoll((*at)[1]);
  }
  return sum;
}

TEST_F(ServiceAttacks, RefusesAFabricWhoseQueuesExceedTheUsersBound) {
  auto request = star(2, 100);
  for (auto& worker : request.workers) worker.up.queue_bytes = worker.down.queue_bytes = 1e9;
  auto alice = connect_as(kAlice);
  alice.create(request);
  std::int64_t sum = 0;
  const auto first = start_sleeper(alice, 0);
  for (const pid_t pid : {session_of(first).pid, first.pid, start_sleeper(alice, 1).pid}) {
    sum += queued_bytes_at(pid);
  }
  EXPECT_EQ(sum, 4'000'000'000) << "in the kernel";
  auto second = connect_as(kAlice);
  EXPECT_THAT(refusal(second, request),
              HasSubstr("user 64100 would have queues of 8000 MB in front of links; this service "
                        "allows 4096 MB"));
  EXPECT_NO_THROW(connect_as(kBob).create(request)) << "another user's own";
}

TEST_F(ServiceAttacks, LetsNoWorkerSignalItsSessionOrAnotherUsersProcesses) {
  auto alice = fabric_of(kAlice);
  auto bob = fabric_of(kBob);
  const auto his = start_sleeper(bob);
  const auto his_session = session_of(his);
  const auto hers = start_sleeper(alice, 1);
  const auto her_session = session_of(hers);
  for (const auto pid : {his.pid, his_session.pid, her_session.pid}) {
    EXPECT_THAT(shell(alice, fmt::format("/bin/kill -9 {} 2>&1 || true", pid)),
                HasSubstr("No such process"));
  }
  EXPECT_EQ(shell(alice, "kill -9 -1; echo on"), "on\n");
  EXPECT_TRUE(ends(hers.pid)) << "it reaches the processes of its own session";
  alice.start_inside(0, {"/bin/sh", "-c", "kill -9 0"}, STDERR_FILENO);
  Json ended = alice.next();
  while (ended.at("slot") != 0) ended = alice.next();
  EXPECT_EQ(ended.at("signal"), SIGKILL);
  EXPECT_TRUE(her_session.running());
  EXPECT_TRUE(his_session.running());
  EXPECT_EQ(::kill(his.pid, 0), 0);
}

TEST_F(ServiceAttacks, GivesEachSessionAKeyringOfItsOwn) {
  auto alice = fabric_of(kAlice);
  auto bob = fabric_of(kBob);
  const auto hers = alice.run_inside(0, {kUnitProbe, "session-keyring"});
  EXPECT_NE(hers, "0\n");
  EXPECT_NE(hers, bob.run_inside(0, {kUnitProbe, "session-keyring"}));
}

TEST_F(ServiceAttacks, RefusesAThirdUserWhileTwoHaveFabrics) {
  auto alice = fabric_of(kAlice);
  auto bob = fabric_of(kBob);
  const auto tasks = [](const std::string& file) {
    return std::stol(read_file(fmt::format("{}/{}pids.max", kUnitCgroup, file)));
  };
  EXPECT_GE(tasks(""), tasks("user-64100/") + tasks("user-64101/")) << "there is room for two";
  auto mallory = connect_as(kMallory);
  EXPECT_THAT(refusal(mallory, star(2, 100)), HasSubstr("users 64100, 64101 have runs here"));
  EXPECT_NO_THROW(fabric_of(kAlice)) << "she is here already";
  EXPECT_EQ(read_file(fmt::format("{}/user-64102/cgroup.procs", kUnitCgroup)), "");
  bob.hang_up();
  EXPECT_NO_THROW(mallory.create(star(2, 100)));
}

TEST_F(ServiceAttacks, EndsASessionWhoseMessageNeverGetsWholeAndServesOthersMeanwhile) {
  auto bob = fabric_of(kBob);
  auto alice = fabric_of(kAlice);
  const auto worker = start_sleeper(alice);
  const auto session = session_of(worker);
  const auto length = htonl(1000);
  const auto start = Clock::now();
  check("send", ::send(alice.connection().fd(), &length, sizeof length, 0));
  while (session.running() && Clock::now() - start < 30s) {
    ASSERT_EQ(shell(bob, "sleep 0.5; echo on"), "on\n");
    ASSERT_LT(Clock::now() - start, 30s);
  }
  const auto took = Clock::now() - start;
  EXPECT_GT(took, 9s);
  EXPECT_LT(took, 15s);
  EXPECT_TRUE(ends(worker.pid));
}

}  // namespace
}  // namespace pacbench
