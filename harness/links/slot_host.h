#pragma once

#include <string>
#include <vector>

#include "base/subprocess.h"
#include "contract/fabric/netd_protocol.h"

namespace pacbench::links {

/// A network with slots, in which programs can be started. A fabric has a slot for each worker: its
/// namespaces, or its host in a cluster. This machine itself (ThisHost) is one slot.
class SlotHost {
 public:
  virtual ~SlotHost() = default;

  /// Starts a program in a slot. `fds` become its descriptors 0, 1, 2 and so on. Several programs
  /// may run in a slot at once.
  virtual netd::SpawnedReply spawn(const netd::SpawnRequest& request,
                                   const std::vector<int>& fds) = 0;
  virtual int pid() const = 0;  ///< the ancestor of all programs
  virtual void signal(int process, int number) = 0;

  virtual int fd() const = 0;  ///< readable when a program has ended; -1: only take_exited() tells
  /// Which programs have ended since the last call.
  virtual std::vector<netd::ExitedEvent> take_exited() = 0;

  virtual std::string address(int slot) const = 0;    ///< IPv4
  virtual std::string interface(int slot) const = 0;  ///< of the link, as named inside the slot
};

/// This machine as a network with one slot, 0, whose programs have the network namespace of the
/// thread that starts them. They end with this object.
class ThisHost : public SlotHost {
 public:
  netd::SpawnedReply spawn(const netd::SpawnRequest& request, const std::vector<int>& fds) override;
  int pid() const override;
  /// Does nothing to a program that has ended.
  void signal(int process, int number) override;
  /// Tells of the end of the program that was started last.
  int fd() const override { return programs_.empty() ? -1 : programs_.back().child.pidfd(); }
  std::vector<netd::ExitedEvent> take_exited() override;
  std::string address(int) const override { return "127.0.0.1"; }
  std::string interface(int) const override { return "lo"; }

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
