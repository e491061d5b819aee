#include "netem/session/own_namespaces.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/close_range.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <fstream>

#include "base/check.h"
#include "base/files.h"
#include "base/subprocess.h"
#include "contract/fabric/fabric_spec.h"
#include "netem/session/process_namespace.h"

namespace pacbench::netem {
namespace {

// The least that a kernel has by default is 32,768 process numbers.
constexpr int kNumbersOfASlot = 1000;
constexpr int kSlotsWithNumbersOfTheirOwn = 30;

sigset_t every_signal() {
  sigset_t all;
  ::sigfillset(&all);
  return all;
}

/// Makes this process one that holds nothing but `kept`, that no program can look into, and that
/// ends with its parent.
void become_keeper(const char* name, int kept) {
  ::prctl(PR_SET_NAME, name);
  ::prctl(PR_SET_DUMPABLE, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  constexpr int kKept = 0;
  ::dup2(kept, kKept);
  // A descriptor held here would hide from the harness that the program has closed it.
  ::close_range(kKept + 1, ~0U, 0);
  if (::chdir("/") < 0) return;  // else this process keeps a folder in use
}

/// Ends this process in the way that `status`, a wait status, tells of another.
[[noreturn]] void end_as(int status) {
  if (WIFSIGNALED(status)) {
    const rlimit no_core{};
    ::setrlimit(RLIMIT_CORE, &no_core);
    const int number = WTERMSIG(status);
    ::signal(number, SIG_DFL);
    ::kill(::getpid(), number);
    sigset_t only;
    ::sigemptyset(&only);
    ::sigaddset(&only, number);
    ::sigprocmask(SIG_UNBLOCK, &only, nullptr);
  }
  ::_exit(WEXITSTATUS(status));
}

/// Passes every signal on to the first process, until that has ended.
[[noreturn]] void stand_outside(pid_t first, int told) {
  become_keeper("netd-outside", told);
  const auto all = every_signal();
  for (;;) {
    const int number = ::sigwaitinfo(&all, nullptr);
    int status = 0;
    if (::waitpid(first, &status, WNOHANG) == first) {
      // The first process says how the program ended, unless it was itself killed.
      int said = 0;
      end_as(::read(0, &said, sizeof said) == sizeof said ? said : status);
    }
    if (number > 0 && number != SIGCHLD) ::kill(first, number);
  }
}

/// Passes the signals of the process outside on to the program, and reaps whatever ends, until the
/// program has ended.
[[noreturn]] void stand_first(pid_t program, int tell) {
  become_keeper("netd-inside", tell);
  // Where the process outside ended before it could be waited for, nobody reads this pipe any more.
  pollfd gone{0, 0, 0};
  if (::poll(&gone, 1, 0) == 1) ::_exit(0);
  const auto all = every_signal();
  for (;;) {
    siginfo_t info{};
    const int number = ::sigwaitinfo(&all, &info);
    int status = 0;
    for (pid_t ended; (ended = ::waitpid(-1, &status, WNOHANG)) > 0;) {
      if (ended != program) continue;
      [[maybe_unused]] const auto written = ::write(0, &status, sizeof status);
      ::_exit(0);
    }
    // Processes outside have no number in here. Those inside may signal the program themselves.
    if (number > 0 && number != SIGCHLD && info.si_pid == 0) ::kill(program, number);
  }
}

std::string words_of(const char* step) { return fmt::format("{}: {}", step, std::strerror(errno)); }

/// Gives the calling process, in its own mount namespace, a /dev/shm that nobody else has.
bool mount_own_shared_memory() {
  constexpr const char* kPath = "/dev/shm";
  if (::access(kPath, F_OK) < 0 && errno == ENOENT) return true;
  return ::mount("tmpfs", kPath, "tmpfs", MS_NOSUID | MS_NODEV, "mode=1777") == 0;
}

std::string host_name(int slot) { return fmt::format("rank{}", slot); }

/// Names the calling process's host, and shows it the names of all slots. The file lies in its own
/// /dev/shm until it is mounted. What the kernel refuses is left out: names share nothing.
void name_hosts(int slot, int slots) {
  constexpr const char* kHosts = "/etc/hosts";
  constexpr const char* kOwn = "/dev/shm/hosts";
  const auto name = host_name(slot);
  if (::unshare(CLONE_NEWUTS) == 0 && ::sethostname(name.data(), name.size()) < 0) return;
  auto text = std::string{};
  for (int each = 0; each < slots; ++each) {
    text += fmt::format("{} {}\n", netd::worker_address(each), host_name(each));
  }
  std::ofstream{kOwn} << text << text_or_none(kHosts);
  ::mount(kOwn, kHosts, nullptr, MS_BIND, nullptr);
  ::unlink(kOwn);
}

/// Lets the next processes have numbers that those of most other slots have not. Where the kernel
/// refuses, they are the same in all slots.
void number_processes_from(int slot) {
  std::ofstream{"/proc/sys/kernel/ns_last_pid"}
      << (slot % kSlotsWithNumbersOfTheirOwn + 1) * kNumbersOfASlot;
}

}  // namespace

void OwnNamespaces::enter(int slot, int slots) {
  if (::unshare(CLONE_NEWIPC) < 0) refused_.push_back(words_of("unshare(CLONE_NEWIPC)"));
  if (::unshare(CLONE_NEWPID) < 0) {
    refused_.push_back(words_of("unshare(CLONE_NEWPID)"));
    return own_files(slot, slots);
  }
  // Blocked signals are not lost while the processes get ready for them. The program unblocks them.
  const auto all = every_signal();
  ::sigprocmask(SIG_BLOCK, &all, nullptr);
  auto end = Pipe::create();
  first_ = check("fork", ::fork());
  if (first_ > 0) {
    role_ = Role::kOutside;
    refused_.clear();  // the first process tells
    end_read_ = std::move(end.read);
    return;
  }
  role_ = Role::kFirst;
  end_write_ = std::move(end.write);
  own_files(slot, slots);
}

/// Shows the calling process the processes of its own PID namespace, and a /dev/shm of its own.
void OwnNamespaces::own_files(int slot, int slots) {
  if (!mount_own_proc()) refused_.push_back(words_of("mount /proc"));
  if (!mount_own_shared_memory()) {
    refused_.push_back(words_of("mount /dev/shm"));
  } else {
    name_hosts(slot, slots);
  }
  if (role_ == Role::kFirst) number_processes_from(slot);
}

void OwnNamespaces::leave_program() {
  if (role_ == Role::kAlone) return;
  if (role_ == Role::kOutside) stand_outside(first_, end_read_.get());
  const auto program = check("fork", ::fork());
  if (program > 0) stand_first(program, end_write_.get());
  // So that a program that calls kill(0, ...) ends its own processes.
  check("setsid", ::setsid());
}

}  // namespace pacbench::netem
