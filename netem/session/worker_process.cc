#include "netem/session/worker_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <linux/close_range.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/statfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <exception>
#include <fstream>
#include <stdexcept>

#include "base/check.h"
#include "base/subprocess.h"
#include "netem/session/own_namespaces.h"
#include "netem/session/process_namespace.h"

namespace pacbench::netem {
namespace {

struct ServedFiles {
  std::uint32_t magic;  ///< the type of file system, as statfs(2) lists it
  const char* name;
};

constexpr std::array kServed{
    ServedFiles{0x65735546, "FUSE"}, ServedFiles{0x01021997, "9p"},  ServedFiles{0x6969, "NFS"},
    ServedFiles{0xff534d42, "CIFS"}, ServedFiles{0xfe534d42, "SMB"}, ServedFiles{0x517b, "SMB"},
    ServedFiles{0x00c36400, "Ceph"}, ServedFiles{0x5346414f, "AFS"}, ServedFiles{0x6b414653, "AFS"},
};

/// Puts the descriptors at 0, 1, 2, ... and lets exec close every other one.
void arrange(const std::vector<UniqueFd>& fds) {
  const int count = static_cast<int>(fds.size());
  std::vector<int> above;  // copies, since the number of one fd may be the target of another
  for (const auto& fd : fds) {
    above.push_back(check("F_DUPFD", ::fcntl(fd.get(), F_DUPFD_CLOEXEC, count)));
  }
  for (int target = 0; target < count; ++target) {
    check("dup2", ::dup2(above[static_cast<std::size_t>(target)], target));
  }
  check("close_range", ::close_range(static_cast<unsigned>(count), ~0U, CLOSE_RANGE_CLOEXEC));
}

/// Copies a descriptor to a number above those that arrange() gives to the program; -1 for none.
int out_of_the_way(const UniqueFd& fd, std::size_t count) {
  if (!fd) return -1;
  return check("F_DUPFD", ::fcntl(fd.get(), F_DUPFD_CLOEXEC, static_cast<int>(count)));
}

/// When memory runs out, makes the kernel kill this process before the daemon and the harness.
void end_first_without_memory() {
  constexpr const char* kPath = "/proc/self/oom_score_adj";
  constexpr int kFirst = 500;
  int now = 0;
  std::ifstream{kPath} >> now;
  if (now < kFirst) std::ofstream{kPath} << kFirst;
}

std::string read_to_end(int fd) {
  std::string text;
  std::array<char, 512> part{};
  for (;;) {
    const auto count = ::read(fd, part.data(), part.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return text;
    text.append(part.data(), static_cast<std::size_t>(count));
  }
}

/// Starts the program in the forked child; leaves only by throwing. Tells through `tell` what the
/// kernel refused, if the program is to be apart.
void run(const WorkerProgram& program, const NetNamespace& inside, const UniqueFd& tell) {
  // With a session of its own a program that calls kill(0, ...) ends its own processes, and not the
  // daemon.
  check("setsid", ::setsid());
  end_first_without_memory();
  if (program.cgroup >= 0) check("joining the cgroup", ::write(program.cgroup, "0", 1));
  check("setns", ::setns(inside.fd(), CLONE_NEWNET));
  const int mount_namespace = out_of_the_way(program.mount_namespace, program.fds.size());
  const int refused = out_of_the_way(tell, program.fds.size());
  arrange(program.fds);
  // Where it is refused, the program runs in the ordinary class. Programs of the user's own always
  // do: where the limit cannot be raised, they would start in the class itself, computing too.
  if (!program.apart) allow_real_time();
  OwnNamespaces own;
  become(program.caller, [&] {
    // Shows this process the caller's files. setns() also moves to the root of the new namespace.
    if (mount_namespace >= 0) {
      check("entering the mount namespace", ::setns(mount_namespace, CLONE_NEWNS));
    }
    // Where the mount is refused, all but CUDA works, and the worker says why CUDA does not.
    if (program.apart) {
      own.enter(program.apart->slot, program.apart->slots);
    } else {
      mount_own_proc();
    }
  });
  if (!own.refused().empty()) {
    const auto words = fmt::format("{}", fmt::join(own.refused(), "; "));
    check("telling the daemon", ::write(refused, words.data(), words.size()));
  }
  own.leave_program();
  // Changing the user clears this setting, so it comes last. If the daemon died just before, its
  // child, the first process of the PID namespace, ends too; the kernel then kills this process.
  check("PR_SET_PDEATHSIG", ::prctl(PR_SET_PDEATHSIG, SIGKILL));
  reset_signals();
  const auto argv = exec_words(program.argv);
  const auto environment = exec_words(program.environment);
  ::execve(argv.front(), argv.data(), environment.data());
  throw std::system_error{errno, std::generic_category(), "execve " + program.argv.front()};
}

}  // namespace

void refuse_served_files(const std::vector<UniqueFd>& fds) {
  for (std::size_t i = 0; i < fds.size(); ++i) {
    struct statfs found {};
    check("fstatfs", ::fstatfs(fds[i].get(), &found));
    const auto magic = static_cast<std::uint32_t>(found.f_type);
    const auto* served = std::ranges::find(kServed, magic, &ServedFiles::magic);
    if (served == kServed.end()) continue;
    throw std::runtime_error{
        fmt::format("descriptor {} is a file on {}, and the server of that file system could keep "
                    "the program from ending; expected a pipe, a socket, or a file on this "
                    "machine. Send a pipe, and copy from it",
                    i, served->name)};
  }
}

StartedWorker start_worker(const WorkerProgram& program, const NetNamespace& inside) {
  // The failure's pipe has a number above the descriptors that arrange() places. The child may
  // throw, because the daemon has one thread.
  const auto above = static_cast<int>(program.fds.size());
  auto refused = Pipe::create();
  auto process = fork_into(shell_words(program.argv), above, [&](StartFailure& failure) {
    try {
      run(program, inside, refused.write);
    } catch (const std::exception& error) {
      std::string{error.what()}.copy(failure.words.data(), failure.words.size() - 1);
    }
  });
  refused.write.reset();
  return {std::move(process), read_to_end(refused.read.get())};
}

}  // namespace pacbench::netem
