#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "base/unique_fd.h"

namespace pacbench::netem {

/// Sets a forked child, which is about to become a program, apart from every other program of the
/// session: in a PID namespace, an IPC namespace and a /dev/shm of its own. Such programs can
/// neither read each other's memory (process_vm_readv) nor share memory, so that what they exchange
/// crosses the network. Each also has a host name, "rank3" in slot 3, and an /etc/hosts that leads
/// to the shaped links of all of them.
///
/// Three processes then stand where one would:
/// - outside: the forked child, which the session knows. It passes on signals, and ends as the
///   program ends.
/// - first: process 1 of the new PID namespace. It reaps, and ends with the program; the kernel
///   then ends all that the program has started. The program itself is not process 1, because the
///   kernel hides from that one the signals that it does not handle: SIGTERM and SIGABRT would do
///   nothing.
/// - the program.
class OwnNamespaces {
 public:
  /// Needs CAP_SYS_ADMIN and a single thread. From here on two processes run the caller's code:
  /// the one outside, and the first. What the kernel refuses is noted and left out; without a PID
  /// namespace only one process goes on. `slot` makes process numbers of slots differ, since
  /// programs use them in names of files that all slots see. `slots`: how many there are.
  void enter(int slot, int slots);

  /// Divides the first process once more, when its rights are gone, and returns in the process that
  /// is to become the program. Without a PID namespace it only returns.
  void leave_program();

  /// What the kernel refused, each with its reason. Empty in the process outside.
  const std::vector<std::string>& refused() const { return refused_; }

 private:
  void own_files(int slot, int slots);

  enum class Role { kAlone, kOutside, kFirst };
  Role role_ = Role::kAlone;
  pid_t first_ = -1;
  UniqueFd end_read_;   ///< outside: how the program ended, as wait() tells it
  UniqueFd end_write_;  ///< first
  std::vector<std::string> refused_;
};

}  // namespace pacbench::netem
