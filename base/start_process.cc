#include "base/start_process.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/check.h"
#include "base/fork_into.h"

namespace pacbench {
namespace {

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

}  // namespace

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
