#pragma once

#include <string>

#include "netem/session/credentials.h"

namespace pacbench::netem {

/// Admits users to a shared daemon: root, and members of one group.
class Admission {
 public:
  /// `group` is a name or a number. While no group has this name, only root is admitted.
  explicit Admission(std::string group) : group_{std::move(group)} {}

  /// Says why the caller may not connect, and what to do, for a person; empty when the caller may.
  /// Each call looks the group up. The caller's groups are those of its process when it connected.
  std::string refusal(const Caller& caller) const;

  /// The group's number now. Throws std::runtime_error when there is no such group.
  gid_t gid() const;

 private:
  std::string group_;
};

}  // namespace pacbench::netem
