#pragma once

#include <sys/types.h>

#include <optional>

#include "base/subprocess.h"

namespace pacbench::netem {

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
