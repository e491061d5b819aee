#pragma once

#include <string>

#include "harness/links/slot_host.h"
#include "harness/links/started_programs.h"

namespace pacbench::links {

/// This machine as a network with one slot, 0, whose programs have the machine's own network.
class ThisHost : public SlotHost {
 public:
  int fd() const override { return -1; }
  std::vector<netd::ExitedEvent> take_exited() override { return programs_.take_exited(); }
  int pid() const override;
  void signal(int process, int number) override { programs_.signal(process, number); }
  netd::SpawnedReply spawn(const netd::SpawnRequest& request,
                           const std::vector<int>& fds) override {
    return programs_.start(request, fds);
  }
  std::string address(int) const override { return "127.0.0.1"; }
  std::string interface(int) const override { return "lo"; }

 private:
  StartedPrograms programs_;
};

}  // namespace pacbench::links
