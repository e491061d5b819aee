#pragma once

#include <string>
#include <vector>

#include "harness/links/daemon_connection.h"
#include "harness/links/slot_host.h"

namespace pacbench::links {

/// The shaped links of one cell: one connection to a pacbench-netd. Everything that was made over
/// it, workers included, ends with this object.
class Fabric : public SlotHost {
 public:
  /// Asks a daemon, named as for DaemonConnection, to create the links. Throws ProtocolError with
  /// the daemon's own words when it cannot, and std::system_error as DaemonConnection does.
  Fabric(const std::string& daemon, const netd::CreateRequest& request);

  const netd::CreatedReply& created() const { return created_; }
  int pid() const override { return connection_.pid(); }

  netd::SpawnedReply spawn(const netd::SpawnRequest& request, const std::vector<int>& fds) override;
  std::string address(int slot) const override;
  std::string interface(int slot) const override;
  /// The address of the worker in `slot` on the control network.
  std::string control_address(int slot) const;
  /// Whether workers are on hosts of their own, which share no memory and no clock.
  bool spans_hosts() const { return !created_.nodes.empty(); }

  netd::CountersReply counters();

  /// Sends the signal `number` to the spawned program `process`. Does nothing when it has ended.
  void signal(int process, int number);

  /// Has the daemon change rates from now on. Throws ProtocolError when it refuses.
  netd::ScheduledReply schedule(const netd::ScheduleRequest& schedule);

  int fd() const override { return connection_.fd(); }
  /// Which programs have ended since the last call. Throws ProtocolError when the daemon has gone.
  std::vector<netd::ExitedEvent> take_exited() override;
  /// Which steps of schedules have been taken since the last call. Throws as take_exited() does.
  std::vector<netd::SteppedEvent> take_stepped();

 private:
  const netd::ClusterNode& node(int slot) const;
  Json request(const Json& body, const std::string& expected, const std::vector<int>& fds = {});
  Message receive(int timeout_ms);
  void take_events();
  bool keep_event(const Json& message);
  [[noreturn]] void daemon_gone();

  DaemonConnection connection_;
  netd::CreatedReply created_;
  std::vector<netd::ExitedEvent> exited_;
  std::vector<netd::SteppedEvent> stepped_;
};

}  // namespace pacbench::links
