#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

#include "base/unique_fd.h"

namespace pacbench::netem {

/// What the workers of one user may have, all together; 0: as much as there is.
struct GroupLimits {
  int memory_percent = 0;  ///< of the machine's memory
  int tasks = 0;           ///< processes and threads

  bool any() const { return memory_percent > 0 || tasks > 0; }
};

/// The folder of the cgroup (version 2) that this process is in. Throws std::runtime_error where
/// none is mounted.
std::string own_cgroup();

/// A cgroup for each user of a shared daemon, in the one that its unit has delegated to it. When
/// the workers of a user want more memory than these may have, the kernel ends one of theirs.
class UserGroups {
 public:
  /// `delegated` is the cgroup that this process is in. It moves to one beside those of users: the
  /// kernel lets no group that limits its children have processes of its own. Throws
  /// std::runtime_error, with what to do, where limits cannot be had.
  UserGroups(std::string delegated, const GroupLimits& limits);

  /// The user's group, which is made when there is none, open: who writes "0" to it joins it.
  UniqueFd open(uid_t user) const;

  /// Removes the user's group, unless somebody is in it.
  void remove(uid_t user) const;

 private:
  std::string folder_of(uid_t user) const;
  void take_over();

  std::string delegated_;
  GroupLimits limits_;
};

}  // namespace pacbench::netem
