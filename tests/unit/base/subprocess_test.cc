#include "base/subprocess.h"

#include <fcntl.h>
#include <gmock/gmock.h>
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

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(RunCommand, FeedsAndDrainsMoreThanPipesHoldAndOutlivesAProgramThatDoesNotReadIt) {
  const std::string text(1'000'000, 'x');
  const auto output = run_command({"cat"}, text);
  EXPECT_TRUE(output.status.ok());
  EXPECT_EQ(output.out, text);
  EXPECT_EQ(run_command({"false"}, text).status.code, 1);
}

TEST(RunCommand, NamesAProgramThatIsNotThere) {
  EXPECT_THAT([] { run_command({"pacbench-no-such-program"}); },
              ThrowsMessage<std::system_error>(
                  AllOf(HasSubstr("pacbench-no-such-program"), HasSubstr("No such file"))));
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
  EXPECT_THAT(
      [] {
        run_checked({"sh", "-c", "echo the reason >&2; exit 2"});
      },
      ThrowsMessage<CommandFailed>(AllOf(HasSubstr("sh -c 'echo the reason >&2; exit 2'"),
                                         HasSubstr("exit code 2"), HasSubstr("the reason\n"))));
}

TEST(ShellWords, AShellReadsThemBackUnchanged) {
  const std::vector<std::string> words{"printf", "%s|", "it's", "a\nb", "\\", "#", "", "$x", "*"};
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
