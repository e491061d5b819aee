#include "base/subprocess.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "base/check.h"
#include "base/errors.h"

namespace pacbench {
namespace {

/// Reaps a child, whatever signals come meanwhile, and returns its wait status. A child left as a
/// zombie keeps its PID namespace alive. A wait for that namespace's first process then never ends.
int reap(pid_t pid) {
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0) {
    if (errno != EINTR) check("waitpid", -1);
  }
  return status;
}

/// Opens a pidfd for a child. If that fails, kills and reaps the child, because no ChildProcess
/// owns it yet, and throws std::system_error.
int open_pidfd(pid_t child) {
  const auto fd = static_cast<int>(::syscall(SYS_pidfd_open, child, 0));
  if (fd >= 0) return fd;
  const int reason = errno;
  ::kill(child, SIGKILL);
  reap(child);
  throw std::system_error{reason, std::generic_category(), "pidfd_open"};
}

/// Whether the process that forked this one still lives. Where that process is outside this one's
/// PID namespace, getppid() is always 0, and the answer is always true. This process then ends with
/// its namespace's first process instead (ProcessNamespace).
bool lives(pid_t parent) {
  const pid_t found = ::getppid();
  return found == parent || found == 0;
}

/// Turns the forked child into the program. All calls are safe in a signal handler, except execvp,
/// which POSIX does not list as safe.
void become(char* const* argv, const std::array<int, 3>& standard, pid_t parent,
            StartFailure& failure) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  // If the parent died before prctl(), the signal never comes.
  if (!lives(parent)) ::_exit(127);
  for (int target = 0; target < 3; ++target) {
    ::dup2(standard[static_cast<std::size_t>(target)], target);
  }
  ::execvp(argv[0], argv);
  failure.reason = errno;
}

ChildProcess start(const std::vector<std::string>& argv, const std::array<int, 3>& standard) {
  const auto words = exec_words(argv);
  const pid_t parent = ::getpid();
  return fork_into(argv.front(), 3,
                   [&](StartFailure& failure) { become(words.data(), standard, parent, failure); });
}

/// The data that the forked child needs. It is made before the fork, because the child may only
/// call functions that are safe in a signal handler.
struct ChildProgram {
  std::vector<char*> argv;
  std::vector<char*> environment;
  std::vector<UniqueFd> fds;
  pid_t parent;
};

/// Turns the forked child into the program. Returns only when the program cannot start.
void become(const ChildProgram& program, StartFailure& failure) {
  ::setsid();
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  // If the parent died before prctl(), the signal never comes.
  if (::getppid() != program.parent) ::_exit(127);
  reset_signals();
  for (std::size_t target = 0; target < program.fds.size(); ++target) {
    ::dup2(program.fds[target].get(), static_cast<int>(target));
  }
  ::execve(program.argv.front(), program.argv.data(), program.environment.data());
  failure.reason = errno;
}

/// Blocks SIGPIPE in this thread as long as the object exists. A write to a program that ended
/// without reading its input then fails with EPIPE instead of ending this process.
class NoSigpipe {
 public:
  NoSigpipe() {
    ::sigemptyset(&pipe_);
    ::sigaddset(&pipe_, SIGPIPE);
    ::pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  NoSigpipe(const NoSigpipe&) = delete;
  NoSigpipe& operator=(const NoSigpipe&) = delete;
  ~NoSigpipe() {
    if (::sigismember(&before_, SIGPIPE) != 0) return;
    const timespec at_once{};
    while (::sigtimedwait(&pipe_, nullptr, &at_once) > 0 || errno == EINTR) {
    }
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }

 private:
  sigset_t pipe_{};
  sigset_t before_{};
};

/// Writes the input and reads both outputs by turns, so that this process and the program never
/// wait for each other at full pipes.
void pump(UniqueFd input_end, std::string_view input, const UniqueFd& out, std::string& out_text,
          const UniqueFd& err, std::string& err_text) {
  const NoSigpipe no_sigpipe;
  ::fcntl(input_end.get(), F_SETFL, O_NONBLOCK);
  if (input.empty()) input_end.reset();
  std::array<pollfd, 3> polls{
      {{input_end.get(), POLLOUT, 0}, {out.get(), POLLIN, 0}, {err.get(), POLLIN, 0}}};
  const auto drain = [](pollfd& poll, std::string& text) {
    if (poll.fd < 0 || poll.revents == 0) return;
    char buffer[4096];
    const auto count = ::read(poll.fd, buffer, sizeof buffer);
    if (count > 0) text.append(buffer, static_cast<std::size_t>(count));
    if (count == 0) poll.fd = -1;
  };
  while (polls[1].fd >= 0 || polls[2].fd >= 0) {
    if (::poll(polls.data(), polls.size(), -1) < 0) {
      if (errno == EINTR) continue;  // what was ready before need not be ready now
      check("poll", -1);
    }
    if (polls[0].fd >= 0 && polls[0].revents != 0) {
      const auto count = ::write(polls[0].fd, input.data(), input.size());
      if (count > 0) input.remove_prefix(static_cast<std::size_t>(count));
      if (input.empty() || (count < 0 && errno != EAGAIN && errno != EINTR)) {
        polls[0].fd = -1;
        input_end.reset();
      }
    }
    drain(polls[1], out_text);
    drain(polls[2], err_text);
  }
}

}  // namespace

std::string ExitStatus::describe() const {
  if (signal != 0) return fmt::format("signal {} ({})", signal, ::strsignal(signal));
  return fmt::format("exit code {}", code);
}

ExitStatus ExitStatus::from_wait(int wait_status) {
  if (WIFSIGNALED(wait_status)) return {0, WTERMSIG(wait_status)};
  return {WEXITSTATUS(wait_status), 0};
}

Output run_command(const std::vector<std::string>& argv, std::string_view input) {
  auto in = Pipe::create();
  auto out = Pipe::create();
  auto err = Pipe::create();
  auto child = start(argv, {in.read.get(), out.write.get(), err.write.get()});
  in.read.reset();
  out.write.reset();
  err.write.reset();
  Output output;
  pump(std::move(in.write), input, out.read, output.out, err.read, output.err);
  output.status = child.wait();
  return output;
}

std::string run_checked(const std::vector<std::string>& argv, std::string_view input) {
  auto output = run_command(argv, input);
  if (output.status.ok()) return std::move(output.out);
  throw CommandFailed{fmt::format("`{}` ended with {}: {}", shell_words(argv),
                                  output.status.describe(),
                                  output.err.empty() ? output.out : output.err)};
}

std::vector<char*> exec_words(const std::vector<std::string>& words) {
  std::vector<char*> result;
  for (const auto& word : words) result.push_back(const_cast<char*>(word.c_str()));
  result.push_back(nullptr);
  return result;
}

std::string shell_words(const std::vector<std::string>& argv) {
  std::string line;
  for (const auto& word : argv) {
    if (!line.empty()) line += ' ';
    const bool plain = !word.empty() && word.find_first_not_of(
                                            "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                            "0123456789_-+=./:,@%") == std::string::npos;
    if (plain) {
      line += word;
      continue;
    }
    line += '\'';
    for (const char c : word) line += c == '\'' ? std::string{"'\\''"} : std::string{c};
    line += '\'';
  }
  return line;
}

ChildProcess::ChildProcess(pid_t pid) : pid_{pid}, pidfd_{open_pidfd(pid)} {}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : pid_{std::exchange(other.pid_, -1)}, pidfd_{std::move(other.pidfd_)} {}

ChildProcess& ChildProcess::operator=(ChildProcess&& other) noexcept {
  std::swap(pid_, other.pid_);
  std::swap(pidfd_, other.pidfd_);
  return *this;
}

ChildProcess::~ChildProcess() {
  if (!running()) return;
  signal(SIGKILL);
  try {
    reap(pid_);
  } catch (const std::system_error&) {  // somebody else has reaped it
  }
}

void ChildProcess::signal(int number) const {
  if (running()) ::syscall(SYS_pidfd_send_signal, pidfd_.get(), number, nullptr, 0);
}

ExitStatus ChildProcess::wait() {
  const int status = reap(pid_);
  pid_ = -1;
  return ExitStatus::from_wait(status);
}

Pipe Pipe::create() {
  int ends[2];
  check("pipe", ::pipe2(ends, O_CLOEXEC));
  return {UniqueFd{ends[0]}, UniqueFd{ends[1]}};
}

std::string own_folder() {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path().string();
}

ChildProcess fork_into(const std::string& program, int above,
                       const std::function<void(StartFailure&)>& become) {
  auto pipe = Pipe::create();
  UniqueFd report{check("duplicate descriptor", ::fcntl(pipe.write.get(), F_DUPFD_CLOEXEC, above))};
  pipe.write.reset();
  const pid_t pid = check("fork", ::fork());
  if (pid == 0) {
    StartFailure failure;
    become(failure);
    [[maybe_unused]] const auto written = ::write(report.get(), &failure, sizeof failure);
    ::_exit(127);
  }
  ChildProcess child{pid};
  report.reset();
  StartFailure failure;
  // The child writes a failure in one piece; a successful exec closes the pipe with nothing in it.
  ssize_t count = 0;
  do {
    count = ::read(pipe.read.get(), &failure, sizeof failure);
  } while (count < 0 && errno == EINTR);
  if (count != static_cast<ssize_t>(sizeof failure)) return child;
  if (failure.words.front() == '\0') {
    throw std::system_error{failure.reason, std::generic_category(), "cannot start " + program};
  }
  throw std::runtime_error{fmt::format("cannot start {}: {}", program, failure.words.data())};
}

void reset_signals() {
  for (int number = 1; number < NSIG; ++number) ::signal(number, SIG_DFL);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

ChildProcess start_process(const std::vector<std::string>& argv,
                           const std::vector<std::string>& environment,
                           const std::vector<int>& fds) {
  // These copies have numbers above all targets, so that no dup2 overwrites a descriptor that is
  // still to be placed.
  constexpr int kAboveTargets = 64;
  ChildProgram program{exec_words(argv), exec_words(environment), {}, ::getpid()};
  for (const int fd : fds) {
    program.fds.emplace_back(
        check("duplicate descriptor", ::fcntl(fd, F_DUPFD_CLOEXEC, kAboveTargets)));
  }
  return fork_into(argv.front(), kAboveTargets,
                   [&](StartFailure& failure) { become(program, failure); });
}

}  // namespace pacbench
