// A worker of the service, as systemd runs it from its unit, hands namespaces to a process outside,
// where they outlive their session.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include <fstream>
#include <optional>

#include "base/clock.h"
#include "base/files.h"
#include "base/token_bucket.h"
#include "tests/emulation/eventually.h"
#include "tests/kernel/service_unit.h"

namespace pacbench {
namespace {

using ::testing::HasSubstr;

/// Descriptors that a worker has handed over to this process. This process stands for one that the
/// worker's user runs outside the service.
struct Handed {
  UniqueFd network;
  UniqueFd processes;
  UniqueFd counters;  ///< the socket of the switches' namespace
};

Handed hand_over(DaemonClient& client) {
  auto [ours, theirs] = socket_pair();
  client.start_inside(0, {kUnitProbe, "hand-over"}, theirs.get());
  theirs.reset();
  auto fds = MessageSocket{std::move(ours)}.receive().value().fds;
  return {std::move(fds.at(0)), std::move(fds.at(1)), std::move(fds.at(2))};
}

/// Whether the kernel lets a user have `limit` namespaces of a kind, one of which is made now.
bool may_have(uid_t user, const std::string& kind, int limit) {
  const auto setting = fmt::format("/proc/sys/user/max_{}_namespaces", kind);
  const auto before = read_file(setting);
  set_kernel_setting(setting, std::to_string(limit));
  const auto tried =
      run_command({"setpriv", fmt::format("--reuid={}", user), fmt::format("--regid={}", user),
                   "--clear-groups", "unshare", "--user", "--" + kind, "true"});
  set_kernel_setting(setting, before);
  return tried.status.ok();
}

/// Whether the kernel comes to count exactly `count` namespaces of a kind for a user. The kernel
/// removes namespaces from a work queue, so it may count more at first.
bool charged(uid_t user, const std::string& kind, int count) {
  bool fewer = false;
  const auto settled = [&] {
    fewer = may_have(user, kind, count);
    return fewer || may_have(user, kind, count + 1);
  };
  return eventually(settled, 10) && !fewer;
}

TEST_F(ServiceAttacks, LetsTheKernelChargeNamespacesThatOutliveTheirSessionToTheirUser) {
  auto alice = fabric_of(kAlice);
  std::optional<Handed> handed = hand_over(alice);
  alice.hang_up();
  EXPECT_TRUE(charged(kServiceUser, "net", 0));
  EXPECT_TRUE(charged(kServiceUser, "pid", 0));
  EXPECT_TRUE(charged(kAlice, "net", 2)) << "the worker's, and that of the switches";
  EXPECT_TRUE(charged(kAlice, "pid", 1));
  handed.reset();
  EXPECT_TRUE(charged(kAlice, "net", 0));
  EXPECT_TRUE(charged(kAlice, "pid", 0));
}

TEST_F(ServiceAttacks, RemovesLinksAndTheirQueuesAlsoWhereTheirNamespaceOutlivesTheSession) {
  auto alice = fabric_of(kAlice);
  const auto handed = hand_over(alice);
  const auto inside = [&] {
    const auto path = fmt::format("--net=/proc/{}/fd/{}", ::getpid(), handed.network.get());
    return run_checked({"nsenter", path, "ip", "-oneline", "link"});
  };
  EXPECT_THAT(inside(), HasSubstr("eth0"));
  alice.hang_up();
  EXPECT_TRUE(eventually([&] { return inside().find("eth0") == std::string::npos; }, 5));
}

TEST_F(ServiceAttacks, TakesNamespacesFromTheBudgetOfTheUserWhoAsks) {
  auto alice = connect_as(kAlice);
  alice.create(star(8, 100));
  const auto path = fmt::format("{}/user-{}.lock", kUnitState, kAlice);
  TokenBucket::State budget;
  std::ifstream{path}.read(reinterpret_cast<char*>(&budget), sizeof budget);
  EXPECT_EQ(budget.left, 20'000 - 9) << "eight workers, and the switches";
  // As after an hour in which Alice has made more namespaces than the budget holds.
  budget = {-1000, seconds(monotonic_ns())};
  std::ofstream{path}.write(reinterpret_cast<const char*>(&budget), sizeof budget);
  auto more = connect_as(kAlice);
  EXPECT_THAT(more.ask(to_json(star(2, 100))).value("message", "not refused"),
              HasSubstr("allows a user 20000 new network namespaces in an hour"));
  EXPECT_NO_THROW(fabric_of(kBob)) << "another user's own";
}

}  // namespace
}  // namespace pacbench
