#pragma once

#include <string>
#include <vector>

#include "contract/fabric/netd_client.h"
#include "harness/links/slot_host.h"

namespace pacbench::links {

/// Returns the argument for daemon_at(): `program` for a private daemon, else the path of a shared
/// daemon's socket. `choice` is "private", such a path, or "auto". With "auto" root gets a private
/// daemon. Others get the shared daemon at its usual place if they may connect to it, else a
/// private one. Throws ConfigError when `choice` is neither word and no socket is at that path.
std::string choose_daemon(const std::string& choice, const std::string& program);

/// The daemon that several users share when its socket is at `path`, else a private daemon whose
/// program is there. A private daemon's log is in memory, and errors quote its end. Throws
/// std::system_error when there is no memory for the log.
netd::Daemon daemon_at(const std::string& path);

/// The shaped links of one cell, made over one connection to a pacbench-netd. Everything that was
/// made over it, workers included, ends with this object. Requests throw as those of netd::Client.
class Fabric : public SlotHost {
 public:
  /// Asks a daemon, named as for daemon_at(), to create the links. Throws ProtocolError with the
  /// daemon's own words when it cannot, and std::system_error as netd::Client does.
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
