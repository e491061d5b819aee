#include "base/subprocess.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <system_error>
#include <thread>

#include "base/errors.h"

namespace pacbench {
namespace {

using ::testing::HasSubstr;

TEST(RunCommand, CollectsBothStreamsAndTheExitCode) {
  const auto output = run_command({"sh", "-c", "echo out; echo err >&2; exit 3"});
  EXPECT_EQ(output.out, "out\n");
  EXPECT_EQ(output.err, "err\n");
  EXPECT_EQ(output.status.code, 3);
  EXPECT_FALSE(output.status.ok());
}

TEST(RunCommand, FeedsAndDrainsMoreThanPipesHold) {
  const std::string text(1'000'000, 'x');
  const auto output = run_command({"cat"}, text);
  EXPECT_TRUE(output.status.ok());
  EXPECT_EQ(output.out, text);
}

TEST(RunCommand, OutlivesAProgramThatDoesNotReadItsInput) {
  const std::string more_than_a_pipe_holds(1 << 20, 'x');
  EXPECT_EQ(run_command({"false"}, more_than_a_pipe_holds).status.code, 1);
}

TEST(RunCommand, PassesEachWordAsItIs) {
  const auto output = run_command({"printf", "%s|", "a b", "$HOME", "'", "*"});
  EXPECT_EQ(output.out, "a b|$HOME|'|*|");
}

TEST(RunCommand, SaysWhichSignalEndedTheCommand) {
  const auto output = run_command({"sh", "-c", "kill -9 $$"});
  EXPECT_EQ(output.status.signal, SIGKILL);
  EXPECT_THAT(output.status.describe(), HasSubstr("signal 9 (Killed)"));
}

TEST(RunCommand, NamesAProgramThatIsNotThere) {
  try {
    run_command({"pacbench-no-such-program"});
    FAIL() << "nothing was thrown";
  } catch (const std::system_error& error) {
    EXPECT_EQ(error.code(), std::errc::no_such_file_or_directory);
    EXPECT_THAT(error.what(), HasSubstr("pacbench-no-such-program"));
  }
}

TEST(ChildProcess, IsReapedByItsOwnerWhateverSignalsCome) {
  struct sigaction action {};
  action.sa_handler = [](int) {};  // without SA_RESTART, so that it interrupts waiting calls
  struct sigaction before {};
  ASSERT_EQ(::sigaction(SIGUSR1, &action, &before), 0);
  std::atomic<bool> over{false};
  std::thread signals{[&over, waiting = ::pthread_self()] {
    while (!over) ::pthread_kill(waiting, SIGUSR1);
  }};
  int left = 0;
  for (int i = 0; i < 100; ++i) {
    const pid_t pid = ::fork();
    if (pid == 0) {
      for (;;) ::pause();
    }
    { const ChildProcess child{pid}; }
    if (::waitpid(pid, nullptr, WNOHANG) != -1) ++left;
  }
  over = true;
  signals.join();
  ::sigaction(SIGUSR1, &before, nullptr);
  EXPECT_EQ(left, 0);
}

TEST(RunCommand, LeavesNoDescriptorOpen) {
  const auto count = [] {
    return std::distance(std::filesystem::directory_iterator{"/proc/self/fd"}, {});
  };
  const auto before = count();
  run_command({"true"});
  EXPECT_THROW(run_command({"pacbench-no-such-program"}), std::system_error);
  EXPECT_EQ(count(), before);
}

/// From now on, when this process forks, it ends, and its new child waits until then.
void die_at_each_fork() {
  static pid_t self;
  self = ::getpid();
  ::pthread_atfork(
      nullptr, [] { ::_exit(0); },
      [] {
        while (::getppid() == self) ::usleep(100);
      });
}

TEST(RunCommand, StartsNothingForAProcessThatDiedMeanwhile) {
  // Orphans become children of this process, so that it can wait for them.
  ASSERT_EQ(::prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
  const pid_t caller = ::fork();
  if (caller == 0) {
    die_at_each_fork();
    run_command({"true"});
    ::_exit(1);
  }
  ASSERT_EQ(::waitpid(caller, nullptr, 0), caller);
  int status = 0;
  EXPECT_GT(::waitpid(-1, &status, 0), 0);
  EXPECT_EQ(ExitStatus::from_wait(status).code, 127) << "the program ran";
  ::prctl(PR_SET_CHILD_SUBREAPER, 0);
}

TEST(RunChecked, FailureCarriesCommandStatusAndItsOwnWords) {
  try {
    run_checked({"sh", "-c", "echo the reason >&2; exit 2"});
    FAIL() << "nothing was thrown";
  } catch (const CommandFailed& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("sh -c 'echo the reason >&2; exit 2'"),
                                    HasSubstr("exit code 2"), HasSubstr("the reason\n")));
  }
}

TEST(ShellWords, QuotesWhatAShellWouldChange) {
  EXPECT_EQ(shell_words({"tc", "qdisc", "show"}), "tc qdisc show");
  EXPECT_EQ(shell_words({"echo", "", "a b", "it's", "$x"}), "echo '' 'a b' 'it'\\''s' '$x'");
}

TEST(ShellWords, AShellReadsThemBackUnchanged) {
  const std::vector<std::string> words{"printf", "%s|", "it's", "a\nb", "\\", "#", "~", "{a,b}"};
  EXPECT_EQ(run_checked({"sh", "-c", shell_words(words)}), run_checked(words));
}

pid_t fork_sleeper() {
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::execlp("sleep", "sleep", "60", nullptr);
    ::_exit(127);
  }
  return pid;
}

TEST(ChildProcess, IsKilledAndReapedByTheDestructorOfItsLastOwner) {
  pid_t pid = -1;
  {
    ChildProcess first{fork_sleeper()};
    pid = first.pid();
    const ChildProcess second{std::move(first)};
    EXPECT_FALSE(first.running());  // NOLINT(bugprone-use-after-move): this state is tested
    EXPECT_EQ(second.pid(), pid);
    EXPECT_EQ(::kill(pid, 0), 0);
  }
  EXPECT_EQ(::waitpid(pid, nullptr, 0), -1);
  EXPECT_EQ(errno, ECHILD);
}

TEST(ChildProcess, PidfdIsReadableOnceTheChildHasEnded) {
  ChildProcess child{fork_sleeper()};
  pollfd ended{child.pidfd(), POLLIN, 0};
  EXPECT_EQ(::poll(&ended, 1, 0), 0);
  child.signal(SIGTERM);
  EXPECT_EQ(::poll(&ended, 1, 10'000), 1);
  EXPECT_EQ(child.wait().signal, SIGTERM);
  EXPECT_FALSE(child.running());
}

TEST(Pipe, IsClosedOnExec) {
  const auto pipe = Pipe::create();
  EXPECT_TRUE(::fcntl(pipe.read.get(), F_GETFD) & FD_CLOEXEC);
  EXPECT_TRUE(::fcntl(pipe.write.get(), F_GETFD) & FD_CLOEXEC);
}

TEST(OwnFolder, HoldsTheRunningProgram) {
  EXPECT_TRUE(std::filesystem::exists(own_folder() + "/base_test"));
}

}  // namespace
}  // namespace pacbench
