#pragma once

#include <string>
#include <vector>

#include "contract/fabric/netd_protocol.h"
#include "harness/links/worker_host.h"

namespace pacbench::links {

/// A network with slots, in which programs can be started. A fabric has a slot for each worker: its
/// namespaces, or its host in a cluster. This machine itself (ThisHost) is one slot.
class SlotHost : public WorkerHost {
 public:
  /// Starts a program in a slot. `fds` become its descriptors 0, 1, 2 and so on. Several programs
  /// may run in a slot at once.
  virtual netd::SpawnedReply spawn(const netd::SpawnRequest& request,
                                   const std::vector<int>& fds) = 0;

  virtual std::string address(int slot) const = 0;    ///< IPv4
  virtual std::string interface(int slot) const = 0;  ///< of the link, as named inside the slot
};

}  // namespace pacbench::links
