// The daemon refuses what it cannot, or must not, do, and says why.
#include <arpa/inet.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/socket.h>

#include "tests/emulation/fixtures.h"

namespace pacbench {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

using Refusal = WithFabrics;

std::string refusal(const Json& reply) {
  return reply.value("type", "") == "error" ? reply.value("message", "") : "not refused";
}

/// A create request with one value replaced.
Json changed(const char* pointer, const Json& value) {
  auto request = to_json(star(2, 100));
  request[Json::json_pointer{pointer}] = value;
  return request;
}

TEST_F(Refusal, NamesWhatIsWrongWithARequestAndLivesOn) {
  DaemonClient daemon;
  EXPECT_THAT(refusal(daemon.ask(Json::array())), HasSubstr("without a \"type\""));
  EXPECT_THAT(refusal(daemon.ask({{"type", "format"}})), HasSubstr("unknown request \"format\""));
  EXPECT_THAT(refusal(daemon.ask(netd::counters_request())), HasSubstr("create request first"));
  EXPECT_THAT(refusal(daemon.ask(changed("/workers", Json::array()))), HasSubstr("/workers"));
  EXPECT_THAT(refusal(daemon.ask(to_json(star(1000, 100)))), HasSubstr("/workers"));
  EXPECT_THAT(refusal(daemon.ask(changed("/workers/1/up/rate_mbit", "100; reboot"))),
              HasSubstr("/workers/1/up/rate_mbit"));
  EXPECT_THAT(refusal(daemon.ask(changed("/switches", 2))), HasSubstr("/trunks"));
  EXPECT_THAT(refusal(daemon.ask(changed("/device", "eth0"))), HasSubstr("device"));
  EXPECT_THAT(refusal(daemon.ask(changed("/congestion_control", "x\nqdisc del"))),
              HasSubstr("/congestion_control"));
  EXPECT_NO_THROW(daemon.create(star(2, 100)));
}

TEST_F(Refusal, NamesWhatIsWrongWithASpawnAndLivesOn) {
  DaemonClient daemon{star(2, 100)};
  const std::vector<int> standard{0, 1, 2};
  const auto spawn = [&](int slot, const std::string& program, const std::vector<int>& fds) {
    return refusal(daemon.ask(to_json(netd::SpawnRequest{slot, {program}, {}}), fds));
  };
  EXPECT_THAT(refusal(daemon.ask(to_json(star(2, 100)))), HasSubstr("already has a fabric"));
  EXPECT_THAT(spawn(2, "/bin/true", standard), HasSubstr("/slot"));
  EXPECT_THAT(spawn(-1, "/bin/true", standard), HasSubstr("/slot"));
  EXPECT_THAT(spawn(0, "true", standard), HasSubstr("absolute path"));
  const std::vector<std::string> many(5000, "/bin/true");
  EXPECT_THAT(refusal(daemon.ask(to_json(netd::SpawnRequest{0, many, {}}), standard)),
              AllOf(HasSubstr("at most 4096 strings"), Not(HasSubstr("absolute path"))));
  EXPECT_THAT(spawn(0, "/bin/true", {0, 1}), HasSubstr("2 descriptors"));
  EXPECT_THAT(spawn(0, "/no/such/program", standard),
              HasSubstr("execve /no/such/program: No such file or directory"));
  EXPECT_THAT(spawn(0, "/etc/passwd", standard), HasSubstr("Permission denied"));
  EXPECT_NO_THROW(daemon.run_inside(1, {"/bin/true"}));
}

TEST_F(Refusal, KeepsTheNumberOfProgramsInASlotWithinBounds) {
  DaemonClient daemon{star(2, 100)};
  netd::SpawnedReply last;
  for (int i = 0; i < 16; ++i) last = daemon.start_inside(0, {"/bin/sleep", "60"}, STDERR_FILENO);
  EXPECT_EQ(last.process, 15);
  const auto one_more = daemon.ask(to_json(netd::SpawnRequest{0, {"/bin/true"}, {}}), {0, 1, 2});
  EXPECT_THAT(refusal(one_more), HasSubstr("slot 0 already runs 16 programs"));
  EXPECT_NO_THROW(daemon.run_inside(1, {"/bin/true"}));
  ::kill(last.pid, SIGKILL);
  EXPECT_EQ(netd::message_from_json<netd::ExitedEvent>(daemon.next()).process, last.process);
  EXPECT_NO_THROW(daemon.run_inside(0, {"/bin/true"})) << "there is room again";
}

TEST_F(Refusal, ClosesAConnectionThatDoesNotSpeakTheProtocol) {
  DaemonClient daemon;
  ASSERT_EQ(::send(daemon.connection().fd(), "GET / HTTP/1.1\r\n", 16, MSG_NOSIGNAL), 16);
  EXPECT_THAT(refusal(daemon.next()), HasSubstr("at most 1048576"));
  EXPECT_TRUE(daemon.wait().ok());
}

/// How a daemon that `command` starts refuses a star of two workers.
std::string refused_star(const std::vector<std::string>& command) {
  DaemonClient daemon{command};
  return refusal(daemon.ask(to_json(star(2, 100))));
}

TEST_F(Refusal, SaysWhichPackageHoldsAMissingProgram) {
  std::vector<std::string> hidden{"unshare", "--mount"};
  if (::getuid() != 0) hidden.insert(hidden.end(), {"--user", "--map-root-user"});
  hidden.insert(hidden.end(), {"sh", "-c",
                               "mount -t tmpfs none /usr/sbin && mount -t tmpfs none /sbin && "
                               "PATH=/nowhere exec \"$@\"",
                               "sh"});
  EXPECT_THAT(refused_star(hidden), HasSubstr("Debian package iproute2"));
}

TEST_F(Refusal, SaysWhatToDoWithoutPrivilegeOrUserNamespaces) {
  const auto message =
      refused_star({"unshare", "--user", "--map-root-user", "sh", "-c",
                    "echo 0 > /proc/sys/user/max_user_namespaces; exec \"$@\"", "sh", "setpriv",
                    "--bounding-set=-all", "--inh-caps=-all", "--no-new-privs"});
  EXPECT_THAT(message, HasSubstr("unshare(CLONE_NEWNET): Operation not permitted"));
  EXPECT_THAT(message, HasSubstr("unshare(CLONE_NEWUSER): No space left on device"));
  EXPECT_THAT(message, HasSubstr("sudo sysctl -w user.max_user_namespaces=10000"));
}

TEST_F(Refusal, NamesTheUserThatTriedAlsoAfterAUserNamespaceWasEntered) {
  const auto message =
      refused_star({"unshare", "--user", "--map-root-user", "sh", "-c",
                    "echo 0 > /proc/sys/user/max_net_namespaces; exec \"$@\"", "sh", "unshare",
                    "--user", "--map-user=1234", "--map-group=1234"});
  EXPECT_THAT(message, HasSubstr("Tried as user 1234: "));
  EXPECT_THAT(message, HasSubstr("unshare(CLONE_NEWNET) inside it: No space left on device"));
}

TEST_F(Refusal, RejectsADescriptorThatIsNoUnixSocket) {
  const auto output = run_command({PACBENCH_NETD, "--fd", "0"});
  EXPECT_EQ(output.status.code, 1);
  EXPECT_THAT(output.err, HasSubstr("--fd: not a socket"));
  EXPECT_EQ(run_command({PACBENCH_NETD}).status.code, 2);
  EXPECT_EQ(run_command({PACBENCH_NETD, "--fd", "3x"}).status.code, 2);
}

}  // namespace
}  // namespace pacbench
