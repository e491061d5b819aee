#pragma once

#include <string>
#include <vector>

#include "contract/fabric/netd_client.h"
#include "harness/links/slot_host.h"

namespace pacbench::links {

/// The shaped links of one cell, made over one connection to a pacbench-netd. Everything that was
/// made over it, workers included, ends with this object. Requests throw as those of netd::Client.
class Fabric : public SlotHost {
 public:
  /// Asks a daemon, named as for daemon_at(), to create the links. Throws ProtocolError with the
  /// daemon's own words when it cannot, and std::system_error as netd::DaemonConnection does.
  Fabric(const std::string& daemon, const netd::CreateRequest& request);

  const netd::CreatedReply& created() const { return created_; }
  int pid() const override { return client_.pid(); }

  netd::SpawnedReply spawn(const netd::SpawnRequest& request,
                           const std::vector<int>& fds) override {
    return client_.spawn(request, fds);
  }
  std::string address(int slot) const override;
  std::string interface(int slot) const override;
  /// The address of the worker in `slot` on the control network.
  std::string control_address(int slot) const;
  /// Whether nodes of a cluster start the workers, which then share no memory and no clock.
  bool spans_hosts() const { return !created_.nodes.empty(); }

  netd::CountersReply counters() { return client_.counters(); }
  void signal(int process, int number) override { client_.signal(process, number); }
  netd::ScheduledReply schedule(const netd::ScheduleRequest& schedule) {
    return client_.schedule(schedule);
  }

  int fd() const override { return client_.fd(); }
  std::vector<netd::ExitedEvent> take_exited() override { return client_.take_exited(); }
  std::vector<netd::SteppedEvent> take_stepped() { return client_.take_stepped(); }

 private:
  const netd::ClusterNode& node(int slot) const;

  netd::Client client_;
  netd::CreatedReply created_;
};

}  // namespace pacbench::links
