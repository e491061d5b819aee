#pragma once

#include <sys/types.h>

#include <optional>

namespace pacbench::netem {

/// While one lives, the user is charged for what this process makes: the kernel counts network
/// namespaces by effective user (user_namespaces(7), /proc/sys/user/max_net_namespaces). Without
/// this, the service would be charged for everything, and one user could use up the share of the
/// others.
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
