#pragma once

#include <sys/types.h>

#include <array>
#include <optional>
#include <string>

#include "base/subprocess.h"
#include "base/words.h"

namespace pacbench::netem {

/// The right by which the daemon makes namespaces.
enum class Privilege { kRoot, kUserNamespace, kService };

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
/// nothing but what it makes itself. Throws std::runtime_error saying what was tried, what refused
/// it, and what to do.
Privilege leave_host_network();

/// Moves a process that serves other users into a network namespace of its own, without a user
/// namespace: inside one it could not become those users. Throws in the same way.
Privilege leave_network_of_service();

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

/// A PID namespace for every process that the calling process starts from now on. The namespace's
/// first process ends when this object or the calling process ends, for whatever reason. The kernel
/// then kills all others in the namespace, children of children too.
class ProcessNamespace {
 public:
  /// Needs CAP_SYS_ADMIN and a single thread. The kernel charges the namespace to `charged`, if
  /// given. Throws std::system_error.
  explicit ProcessNamespace(std::optional<uid_t> charged = {});
  ProcessNamespace(const ProcessNamespace&) = delete;
  ProcessNamespace& operator=(const ProcessNamespace&) = delete;

 private:
  Pipe lifeline_;
  ChildProcess first_;
};

/// Gives the calling process a /proc that shows the processes of its own PID namespace, in a mount
/// namespace of its own. CUDA's driver looks in /proc for the number that getpid() returns, and
/// refuses a process that it does not find (CUDA_ERROR_OPERATING_SYSTEM). Needs CAP_SYS_ADMIN.
/// Returns false, and leaves /proc as it was, where the kernel refuses the mount: in some
/// containers.
bool mount_own_proc();

}  // namespace pacbench::netem

template <>
struct pacbench::Words<pacbench::netem::Privilege> {
  static constexpr std::array kAll{"root", "user namespace", "service"};
};
