#pragma once

#include <sys/types.h>

#include <optional>

namespace pacbench::netem {

/// While an object lives, the kernel charges the user for the namespaces that this process makes.
/// It counts them by effective user (user_namespaces(7), /proc/sys/user/max_net_namespaces).
/// Otherwise it would charge the service for all of them, and one user could use up the limit for
/// everybody: a worker can hand each namespace that it is in, and that of the switches, to a
/// process outside.
class ChargedTo {
 public:
  /// Without a user nothing changes. Throws std::system_error.
  explicit ChargedTo(std::optional<uid_t> user);
  ChargedTo(const ChargedTo&) = delete;
  ChargedTo& operator=(const ChargedTo&) = delete;
  ~ChargedTo();

 private:
  bool changed_ = false;
  uid_t before_;
  pid_t parent_;
};

}  // namespace pacbench::netem
