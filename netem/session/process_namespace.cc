#include "netem/session/process_namespace.h"

#include <linux/close_range.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/check.h"
#include "netem/session/charged_to.h"

namespace pacbench::netem {
namespace {

/// Ends this process when nobody holds the other end of the pipe any more.
[[noreturn]] void wait_for_end(int lifeline) {
  ::prctl(PR_SET_NAME, "netd-first");
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  // Orphans become children of the first process; nobody needs their exit status.
  ::signal(SIGCHLD, SIG_IGN);
  constexpr int kLifeline = 0;
  ::dup2(lifeline, kLifeline);
  // Any other descriptor held here would keep a connection or a namespace alive.
  ::close_range(kLifeline + 1, ~0U, 0);
  char byte = 0;
  while (::read(kLifeline, &byte, 1) < 0 && errno == EINTR) {
  }
  ::_exit(0);
}

}  // namespace

ProcessNamespace::ProcessNamespace(std::optional<uid_t> charged) : lifeline_{Pipe::create()} {
  {
    const ChargedTo user{charged};
    check("unshare(CLONE_NEWPID)", ::unshare(CLONE_NEWPID));
  }
  const auto pid = check("fork", ::fork());
  if (pid == 0) wait_for_end(lifeline_.read.get());
  first_ = ChildProcess{pid};
  lifeline_.read.reset();
}

bool mount_own_proc() {
  if (::unshare(CLONE_NEWNS) < 0) return false;
  // Mounts that the user makes later still arrive in this namespace. The mount of /proc below does
  // not reach the user's shell.
  if (::mount(nullptr, "/", nullptr, MS_REC | MS_SLAVE, nullptr) < 0) return false;
  return ::mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, nullptr) == 0;
}

}  // namespace pacbench::netem
