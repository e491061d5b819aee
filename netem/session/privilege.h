#pragma once

#include <array>
#include <stdexcept>
#include <string>

#include "base/words.h"

namespace pacbench::netem {

/// The right by which the daemon makes namespaces.
enum class Privilege { kRoot, kUserNamespace, kService };

}  // namespace pacbench::netem

namespace pacbench {

template <>
struct Words<netem::Privilege> {
  static constexpr std::array kAll{"root", "user namespace", "service"};
};

}  // namespace pacbench

namespace pacbench::netem {

/// Thrown when the daemon cannot make a network namespace. The message says what was tried, what
/// refused it, and what to do.
class NoPrivilege : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The settings of this machine for which the kernel may refuse namespaces.
struct NamespaceSettings {
  bool in_container = false;
  bool apparmor_restricts = false;  ///< Ubuntu since 23.10
  bool clone_refused = false;       ///< Debian before 11
  bool none_allowed = false;        ///< user.max_user_namespaces is 0
};

/// The sentence that says what to do.
std::string cure(const NamespaceSettings& found);

/// Moves the calling process, which must have a single thread, into a network namespace of its own.
/// Where it may not make one directly, it enters a user namespace first. There it is root over
/// nothing but what it makes itself. Throws NoPrivilege.
Privilege leave_host_network();

/// Moves a process that serves other users into a network namespace of its own, without a user
/// namespace: inside one it could not become those users. Throws NoPrivilege.
Privilege leave_network_of_service();

}  // namespace pacbench::netem
