#pragma once

#include <sys/types.h>

#include <string>

#include "base/unique_fd.h"

namespace pacbench::netem {

/// The limits that all workers of one user share; 0: no limit.
struct GroupLimits {
  int memory_percent = 0;  ///< of the machine's memory
  int tasks = 0;           ///< processes and threads

  bool any() const { return memory_percent > 0 || tasks > 0; }
};

/// The folder of the cgroup (version 2) that a process is in; `process` is the process's folder in
/// /proc. Throws std::runtime_error where no cgroups of version 2 are mounted.
std::string cgroup_of(const std::string& process);

/// A cgroup for each user of a shared daemon, inside the cgroup that the daemon's unit has
/// delegated to it. When a user's workers want more memory than allowed, the kernel kills one of
/// their processes.
class UserGroups {
 public:
  /// `delegated` is the cgroup of this process. The process moves to a cgroup beside the users',
  /// since the kernel allows no processes in a cgroup that limits its children. Throws
  /// std::runtime_error, with what to do, where limits are not possible.
  UserGroups(std::string delegated, const GroupLimits& limits);

  /// Opens the user's group, and makes it when there is none. A process that writes "0" to the
  /// returned descriptor joins the group.
  UniqueFd open(uid_t user) const;

  /// Removes the user's group, unless somebody is in it.
  void remove(uid_t user) const;

 private:
  std::string folder_of(uid_t user) const;

  std::string delegated_;
  GroupLimits limits_;
};

}  // namespace pacbench::netem
