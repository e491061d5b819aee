#pragma once

#include "base/subprocess.h"

namespace pacbench::netem {

/// A PID namespace for every process that this one starts from now on. Its first process waits
/// for this one's end, however it comes, and the kernel then kills all others with it, children
/// of children too.
class ProcessNamespace {
 public:
  /// Needs CAP_SYS_ADMIN and a single thread. Throws std::system_error.
  ProcessNamespace();
  ProcessNamespace(const ProcessNamespace&) = delete;
  ProcessNamespace& operator=(const ProcessNamespace&) = delete;

 private:
  Pipe lifeline_;
  ChildProcess first_;
};

}  // namespace pacbench::netem
