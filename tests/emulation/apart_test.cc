// A program that is to be apart reaches no other program past the network, and yet starts, is
// signalled and ends as any other.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <signal.h>
#include <unistd.h>

#include <filesystem>

#include "base/check.h"
#include "tests/emulation/fixtures.h"

namespace pacbench {
namespace {

using ::testing::HasSubstr;

using Apart = TwoWorkers;

/// A program in a slot, with what it prints.
class ApartProgram {
 public:
  ApartProgram(DaemonClient& daemon, int slot, const std::string& script)
      : daemon_{daemon}, out_{Pipe::create()} {
    netd::SpawnRequest request{slot, {"/bin/sh", "-c", script}, {"PATH=/usr/bin:/bin"}};
    request.apart = true;
    const int out = out_.write.get();
    reply_ = netd::message_from_json<netd::SpawnedReply>(
        daemon.ask(to_json(request), {STDIN_FILENO, out, out}));
    out_.write.reset();
  }

  const netd::SpawnedReply& reply() const { return reply_; }
  void wait_for_output() const {
    char byte = 0;
    check("read", ::read(out_.read.get(), &byte, 1));
  }
  void signal(int number) { daemon_.ask(to_json(netd::SignalRequest{reply_.process, number})); }
  std::string output() const { return read_to_end(out_.read.get()); }
  netd::ExitedEvent end() { return netd::message_from_json<netd::ExitedEvent>(daemon_.next()); }

 private:
  DaemonClient& daemon_;
  Pipe out_;
  netd::SpawnedReply reply_;
};

std::string shell(DaemonClient& daemon, int slot, const std::string& script) {
  ApartProgram program{daemon, slot, script};
  auto text = program.output();
  program.end();
  return text;
}

TEST_F(Apart, HasAHostNameThatLeadsToItsLink) {
  EXPECT_EQ(shell(daemon, 1,
                  "hostname; getent hosts $(hostname) rank0 | tr -s ' '; ls -A /dev/shm; "
                  "test $(stat -c %U /etc/hosts) = root"),
            "rank1\n10.77.0.2 rank1\n10.77.0.1 rank0\n");
  EXPECT_NE(shell(daemon, 1, "grep -c localhost /etc/hosts"), "0\n");
}

TEST_F(Apart, SeesItselfAndNoProcessOfAnotherSlot) {
  ApartProgram other{daemon, 1, "echo; exec sleep 60"};
  ASSERT_EQ(other.reply().not_apart, "");
  other.wait_for_output();
  const auto text = shell(daemon, 0,
                          "read pid rest </proc/self/stat; test $pid = $$ && echo same; cd /proc; "
                          "for each in [0-9]*; do read name <$each/comm; echo $name; done");
  EXPECT_EQ(text, "same\nnetd-inside\nsh\n");
  EXPECT_NE(shell(daemon, 0, "readlink /proc/self/ns/ipc"),
            shell(daemon, 1, "readlink /proc/self/ns/ipc"));
}

TEST_F(Apart, HasNumbersThatProcessesOfAnotherSlotDoNotHave) {
  if (::access("/proc/sys/kernel/ns_last_pid", W_OK) < 0)
    GTEST_SKIP() << "chooses process numbers, which needs root";
  EXPECT_NE(shell(daemon, 0, "echo $$"), shell(daemon, 1, "echo $$"));
}

TEST_F(Apart, SharesNoMemoryWithAnotherSlotByItsNames) {
  ApartProgram other{daemon, 1, "echo secret >/dev/shm/pacbench-test; echo; exec sleep 60"};
  other.wait_for_output();
  EXPECT_EQ(shell(daemon, 0, "ls /dev/shm; echo x >/dev/shm/own && cat /dev/shm/own"), "x\n");
  EXPECT_FALSE(std::filesystem::exists("/dev/shm/pacbench-test"));
}

TEST_F(Apart, HasTheDescriptorsSignalsRightsAndClassOfAnyProgram) {
  // 3 is the counters' socket; ls has another one open, the folder.
  EXPECT_EQ(shell(daemon, 0, "ls /proc/self/fd | tr '\\n' ' '"), "0 1 2 3 4 ");
  const auto status = shell(daemon, 0, "exec cat /proc/self/status");
  for (const char* set : {"CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb", "SigBlk", "SigIgn"}) {
    EXPECT_THAT(status, HasSubstr(fmt::format("{}:\t0000000000000000\n", set)));
  }
  EXPECT_THAT(status, HasSubstr("NoNewPrivs:\t1\n"));
  EXPECT_THAT(shell(daemon, 0, "chrt -p $$"), HasSubstr("SCHED_OTHER"));
}

TEST_F(Apart, EndsWithItsExitCodeOrSignal) {
  EXPECT_EQ((ApartProgram{daemon, 0, "exit 3"}.end().code), 3);
  EXPECT_EQ((ApartProgram{daemon, 0, "exit 0"}.end().code), 0);
  for (const int number : {SIGSEGV, SIGKILL, SIGTERM}) {
    EXPECT_EQ((ApartProgram{daemon, 0, fmt::format("kill -{} $$", number)}.end().signal), number);
  }
}

/// As when a hanging rank is asked for its stacks. A process 1 would not see these signals.
TEST_F(Apart, GetsTheSignalsThatItsClientSends) {
  for (const int number : {SIGABRT, SIGTERM, SIGINT, SIGUSR1, SIGKILL}) {
    ApartProgram program{daemon, 0, "echo; exec sleep 60"};
    program.wait_for_output();
    program.signal(number);
    EXPECT_EQ(program.end().signal, number);
  }
  ApartProgram handles{daemon, 0,
                       "trap 'echo caught; exit 7' TERM; echo; while :; do sleep 0.05; done"};
  handles.wait_for_output();
  handles.signal(SIGTERM);
  EXPECT_EQ(handles.output(), "caught\n");
  EXPECT_EQ(handles.end().code, 7);
}

TEST_F(Apart, EndsAllThatItHasStarted) {
  ApartProgram program{daemon, 0, "setsid sleep 3600 & (sleep 0.01 &); echo; sleep 0.2"};
  EXPECT_EQ(program.end().code, 0);
  EXPECT_EQ(program.output(), "\n") << "no child holds the pipe open";
}

TEST_F(Apart, ReapsProcessesThatLostTheirParent) {
  EXPECT_EQ(shell(daemon, 0,
                  "(true & true & true &) ; sleep 0.3; grep -l 'State:.Z' /proc/[0-9]*/status"),
            "");
}

TEST_F(Apart, CannotEndTheDaemonOrTheProcessesAroundIt) {
  EXPECT_EQ((ApartProgram{daemon, 0, "kill -9 0"}.end().signal), SIGKILL);
  EXPECT_EQ(shell(daemon, 0, "kill -9 1; kill -TERM 1; sleep 0.1; echo on"), "on\n");
  EXPECT_EQ(shell(daemon, 0, "sleep 60 & kill -9 -1; echo on"), "on\n");
  EXPECT_TRUE(daemon.counters().deviations.empty()) << "the daemon still answers";
}

TEST_F(Apart, IsKilledWithTheProcessThatStandsForIt) {
  ApartProgram program{daemon, 0, "echo; sleep 3600"};
  program.wait_for_output();
  ::kill(program.reply().pid, SIGKILL);
  EXPECT_EQ(program.end().signal, SIGKILL);
  EXPECT_EQ(program.output(), "") << "its pipe is closed";
}

TEST_F(Apart, EndsWithTheConnection) {
  ApartProgram program{daemon, 0, "trap '' TERM INT; echo; sleep 3600"};
  program.wait_for_output();
  daemon.process().signal(SIGKILL);
  daemon.wait();
  EXPECT_EQ(program.output(), "");
}

TEST_F(Apart, SaysWhyItCannotStart) {
  netd::SpawnRequest request{0, {"/no/such/program"}, {}};
  request.apart = true;
  const auto reply = daemon.ask(to_json(request), {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO});
  EXPECT_THAT(reply.value("message", ""), HasSubstr("/no/such/program: No such file"));
  EXPECT_EQ(shell(daemon, 0, "echo on"), "on\n");
}

TEST_F(Apart, RunsAllTheSameWhereTheKernelRefusesNamespacesAndSaysSo) {
  if (::getuid() != 0) GTEST_SKIP() << "limits namespaces, which needs root";
  // In this user namespace one PID namespace can exist: that of the session.
  DaemonClient limited{{"unshare", "--user", "--map-root-user", "sh", "-c",
                        "echo 1 >/proc/sys/user/max_pid_namespaces && "
                        "echo 0 >/proc/sys/user/max_ipc_namespaces && exec \"$@\"",
                        "sh"}};
  limited.create(star(2, 100));
  ApartProgram program{limited, 0, "echo ran; exit 4"};
  EXPECT_THAT(program.reply().not_apart, HasSubstr("unshare(CLONE_NEWPID): No space left"));
  EXPECT_THAT(program.reply().not_apart, HasSubstr("unshare(CLONE_NEWIPC): No space left"));
  EXPECT_EQ(program.output(), "ran\n");
  EXPECT_EQ(program.end().code, 4);
}

TEST_F(Apart, CountsWhatTheProcessesOfASlotSendToEachOther) {
  EXPECT_THAT(daemon.counters().loopback_bytes, ::testing::ElementsAre(0, 0));
  // Nothing listens there, but the request to connect and its refusal are sent.
  shell(daemon, 1, fmt::format("{} send 127.0.0.1 1000 2>/dev/null || true", PACBENCH_PROBE));
  const auto counted = daemon.counters().loopback_bytes;
  EXPECT_EQ(counted.at(0), 0);
  EXPECT_GT(counted.at(1), 0);
}

}  // namespace
}  // namespace pacbench
