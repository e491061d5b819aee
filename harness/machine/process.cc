#include "harness/machine/process.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cstdlib>
#include <system_error>

#include "base/check.h"
#include "base/fork_into.h"

namespace pacbench {
namespace {

/// The data of the forked child, made before the fork, because the child may only call functions
/// that are safe in a signal handler.
struct ChildProgram {
  std::vector<char*> argv;
  std::vector<char*> environment;
  std::vector<UniqueFd> fds;
  pid_t parent;
};

/// In the forked child. Returns when the program cannot start.
void become(const ChildProgram& program, StartFailure& failure) {
  ::setsid();
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  // A parent that died before that will send nothing.
  if (::getppid() != program.parent) ::_exit(127);
  reset_signals();
  for (std::size_t target = 0; target < program.fds.size(); ++target) {
    ::dup2(program.fds[target].get(), static_cast<int>(target));
  }
  ::execve(program.argv.front(), program.argv.data(), program.environment.data());
  failure.reason = errno;
}

}  // namespace

ChildProcess start_process(const std::vector<std::string>& argv,
                           const std::vector<std::string>& environment,
                           const std::vector<int>& fds) {
  // Copies above all targets, so that no target overwrites a source that is yet to be placed.
  constexpr int kAboveTargets = 64;
  ChildProgram program{exec_words(argv), exec_words(environment), {}, ::getpid()};
  for (const int fd : fds) {
    program.fds.emplace_back(
        check("duplicate descriptor", ::fcntl(fd, F_DUPFD_CLOEXEC, kAboveTargets)));
  }
  return fork_into(argv.front(), kAboveTargets,
                   [&](StartFailure& failure) { become(program, failure); });
}

std::vector<std::string> minimal_environment() {
  std::vector<std::string> result;
  // Beside what every program may ask for: what leads to a GPU and its driver, and how much NCCL
  // says on standard error.
  for (const char* name :
       {"PATH", "HOME", "LANG", "LD_LIBRARY_PATH", "CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER",
        "CUDA_CACHE_PATH", "CUDA_MPS_PIPE_DIRECTORY", "CUDA_MPS_LOG_DIRECTORY", "NCCL_DEBUG"}) {
    if (const char* value = std::getenv(name)) result.push_back(std::string{name} + '=' + value);
  }
  return result;
}

UniqueFd memory_file(const char* name, std::int64_t bytes) {
  UniqueFd fd{check("memfd_create", ::memfd_create(name, MFD_CLOEXEC))};
  check("size a memory file", ::ftruncate(fd.get(), bytes));
  return fd;
}

std::string last_lines(const std::string& text, std::size_t count) {
  std::string result;
  auto end = text.size();
  while (end > 0 && count > 0) {
    if (text[end - 1] == '\n') {
      --end;
      continue;
    }
    const auto newline = text.rfind('\n', end - 1);
    const auto start = newline == std::string::npos ? 0 : newline + 1;
    result = text.substr(start, end - start) + (result.empty() ? "" : " | " + result);
    end = start;
    --count;
  }
  return result;
}

}  // namespace pacbench
