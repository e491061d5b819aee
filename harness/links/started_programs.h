#pragma once

#include <string>
#include <vector>

#include "base/subprocess.h"
#include "contract/fabric/netd_protocol.h"

namespace pacbench::links {

/// Programs that this process, not a daemon, started in the slots of a SlotHost. They end with this
/// object.
class StartedPrograms {
 public:
  /// Starts a program in the network namespace of the calling thread.
  netd::SpawnedReply start(const netd::SpawnRequest& request, const std::vector<int>& fds);
  /// The programs that have ended since the last call.
  std::vector<netd::ExitedEvent> take_exited();
  /// Does nothing to a program that has ended.
  void signal(int process, int number) const;

 private:
  struct Program {
    int process;
    int slot;
    ChildProcess child;
  };

  std::vector<Program> programs_;
  int started_ = 0;
};

}  // namespace pacbench::links
