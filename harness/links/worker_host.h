#pragma once

#include <vector>

#include "contract/fabric/netd_protocol.h"

namespace pacbench::links {

/// The starter of a cell's workers, which learns when they end.
class WorkerHost {
 public:
  virtual ~WorkerHost() = default;

  virtual int fd() const = 0;  ///< readable when a worker has ended; -1: only take_exited() tells
  /// Which programs have ended since the last call.
  virtual std::vector<netd::ExitedEvent> take_exited() = 0;
  virtual void signal(int process, int number) = 0;
  virtual int pid() const = 0;  ///< the ancestor of all workers, or the only worker itself
};

}  // namespace pacbench::links
