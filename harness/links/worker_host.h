#pragma once

#include <vector>

#include "contract/fabric/netd_protocol.h"

namespace pacbench::links {

/// Whoever started the workers of a cell, and hears of their ends.
class WorkerHost {
 public:
  virtual ~WorkerHost() = default;

  virtual int fd() const = 0;  ///< readable when a worker has ended
  /// Which programs have ended since the last call.
  virtual std::vector<netd::ExitedEvent> take_exited() = 0;
  virtual int pid() const = 0;  ///< the process that all workers descend from, or are
};

}  // namespace pacbench::links
