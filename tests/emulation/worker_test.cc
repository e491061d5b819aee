// A program started by the daemon finds what it was given, and cannot do more than allowed.
#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "base/files.h"
#include "tests/emulation/fixtures.h"

namespace pacbench {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

using Worker = TwoWorkers;

std::string shell(DaemonClient& daemon, const std::string& script) {
  return daemon.run_inside(0, {"/bin/sh", "-c", script});
}

TEST_F(Worker, HasNoCapabilityAndDefaultSignalHandling) {
  const auto status = daemon.run_inside(0, {"/bin/cat", "/proc/self/status"});
  for (const char* set :
       {"CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb", "SigBlk", "SigIgn", "SigCgt"}) {
    EXPECT_THAT(status, HasSubstr(fmt::format("{}:\t0000000000000000\n", set)));
  }
  EXPECT_THAT(status, HasSubstr("NoNewPrivs:\t1\n"));
}

/// CUDA's driver refuses a process that /proc shows under another number than getpid().
TEST_F(Worker, FindsItselfInProcAndNoProcessOfAnother) {
  const auto text =
      shell(daemon, "read pid rest </proc/self/stat; echo $pid $$; cd /proc; echo [0-9]*");
  EXPECT_EQ(text, fmt::format("{0} {0}\n1 {0}\n", std::stoi(text)));
}

TEST_F(Worker, CannotReachTheDaemonThroughItsProcessGroup) {
  daemon.start_inside(0, {"/bin/sh", "-c", "kill -9 0"}, STDERR_FILENO);
  EXPECT_EQ(daemon.next().value("type", "gone"), "exited");
  EXPECT_TRUE(daemon.counters().deviations.empty()) << "the daemon still answers";
}

TEST_F(Worker, EndsBeforeTheDaemonWhenMemoryRunsOut) {
  int own = 0;
  std::ifstream{fmt::format("/proc/{}/oom_score_adj", daemon.pid())} >> own;
  EXPECT_GT(std::stoi(shell(daemon, "cat /proc/self/oom_score_adj")), own);
}

TEST_F(Worker, CannotChangeItsOwnLinkNorThroughTheCountersSocket) {
  EXPECT_THAT(shell(daemon, "/usr/sbin/tc qdisc del dev eth0 root 2>&1 || true"),
              HasSubstr("Operation not permitted"));
  EXPECT_EQ(daemon.run_inside(1, {PACBENCH_PROBE, "try-change"}), "Operation not permitted\n");
}

TEST_F(Worker, CountsTheSameAsTheDaemon) {
  // Nothing listens at 10.77.0.2, but the requests to connect cross the link.
  shell(daemon, fmt::format("{} send 10.77.0.2 1000 2>/dev/null || true", PACBENCH_PROBE));
  const auto counted = daemon.run_inside(0, {PACBENCH_PROBE, "counters"});
  const auto reply = daemon.counters();
  EXPECT_GT(reply.links[0].bytes, 0);
  EXPECT_EQ(counted, fmt::format("{} {} {} {}\n", reply.links[0].bytes, reply.links[0].packets,
                                 reply.links[1].bytes, reply.links[1].packets));
}

TEST_F(Worker, HasExactlyTheDescriptorsAndEnvironmentThatWereSent) {
  auto out = Pipe::create();
  const UniqueFd extra{::open("/dev/zero", O_RDONLY | O_CLOEXEC)};
  const netd::SpawnRequest request{
      0, {"/bin/sh", "-c", "cd /proc/self/fd; echo [0-9]*; readlink 3; exec env"}, {"COLOUR=blue"}};
  const auto reply =
      daemon.ask(to_json(request), {STDIN_FILENO, out.write.get(), STDERR_FILENO, extra.get()});
  ASSERT_EQ(reply.at("type"), "spawned") << reply;
  out.write.reset();
  const auto text = read_to_end(out.read.get());
  // Descriptor 4 is the counters' socket; the shell has 5 open while it lists the folder.
  EXPECT_THAT(text, StartsWith("0 1 2 3 4 5\n/dev/zero\n"));
  EXPECT_THAT(text, HasSubstr("COLOUR=blue\n"));
  EXPECT_THAT(text, HasSubstr("PACBENCH_PORT_INDEX="));
  EXPECT_EQ(text.find("HOME="), std::string::npos);
}

TEST_F(Worker, UsesARealTimeClassExactlyWhenTheDaemonSaysSo) {
  const auto tried = shell(daemon, "chrt --rr 5 true && echo allowed || echo refused");
  EXPECT_EQ(tried, created.real_time_allowed ? "allowed\n" : "refused\n");
}

TEST_F(Worker, RunsAsTheCallingUser) {
  const auto pid = daemon.start_inside(0, {"/bin/sleep", "60"}, STDERR_FILENO).pid;
  struct stat owner {};
  ASSERT_EQ(::stat(fmt::format("/proc/{}", pid).c_str(), &owner), 0);
  EXPECT_EQ(owner.st_uid, ::getuid());
}

TEST_F(Worker, ManyOfThemAreNotStoppedByTheUsualLimitOfDescriptors) {
  // A limit of 64 for 8 workers is like the usual limit of 1024 for 128.
  DaemonClient limited{{"sh", "-c", "ulimit -Sn 64 && exec \"$@\"", "sh"}};
  limited.create(star(8, 100));
  for (int slot = 0; slot < 8; ++slot) {
    for (int program = 0; program < 4; ++program) {
      limited.start_inside(slot, {"/bin/sleep", "60"}, STDERR_FILENO);
    }
  }
  EXPECT_TRUE(limited.counters().deviations.empty());
}

TEST_F(Worker, SharesItsSlotWithOtherProgramsEachWithItsOwnNumberAndEnd) {
  const auto first = daemon.start_inside(1, {"/bin/sleep", "60"}, STDERR_FILENO);
  const auto second = daemon.start_inside(1, {"/bin/sleep", "60"}, STDERR_FILENO);
  EXPECT_EQ(first.process, 0);
  EXPECT_EQ(second.process, 1);
  const auto network = [](int pid) {
    return std::filesystem::read_symlink(fmt::format("/proc/{}/ns/net", pid));
  };
  EXPECT_EQ(network(first.pid), network(second.pid));
  EXPECT_EQ(daemon.run_inside(1, {"/bin/echo", "third"}), "third\n");
  for (const auto& program : {second, first}) {
    ::kill(program.pid, SIGTERM);
    const auto event = netd::message_from_json<netd::ExitedEvent>(daemon.next());
    EXPECT_EQ(event.process, program.process);
    EXPECT_EQ(event.slot, 1);
    EXPECT_EQ(event.signal, SIGTERM);
  }
}

TEST(Rootless, WorksThroughAUserNamespaceAndSaysSo) {
  if (::getuid() != 0) GTEST_SKIP() << "becomes another user, which needs root";
  const std::vector<std::string> nobody{"setpriv", "--reuid=65534", "--regid=65534",
                                        "--clear-groups"};
  auto attempt = nobody;
  attempt.insert(attempt.end(), {"unshare", "--user", "--map-root-user", "--net", "true"});
  if (const auto tried = run_command(attempt); !tried.status.ok()) GTEST_SKIP() << tried.err;
  // The programs are copied to a folder where user 65534 can read them.
  const TemporaryFolder folder;
  std::filesystem::permissions(folder.path(), std::filesystem::perms{0755});
  for (const char* program : {PACBENCH_NETD, PACBENCH_PROBE}) {
    std::filesystem::copy(program, folder.path());
  }
  DaemonClient daemon{nobody, folder.path() + "/pacbench-netd"};
  const auto created = daemon.create(star(2, 100));
  EXPECT_EQ(created.privilege, "user namespace");
  EXPECT_EQ(created.links.at(3).rate_bytes_per_s, 12'500'000);
  EXPECT_THAT(shell(daemon, "cat /proc/self/status"), HasSubstr("CapBnd:\t0000000000000000\n"));
  EXPECT_EQ(daemon.run_inside(1, {folder.path() + "/pacbench-emulation-probe", "try-change"}),
            "Operation not permitted\n");
}

}  // namespace
}  // namespace pacbench
