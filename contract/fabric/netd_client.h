#pragma once

#include <string>
#include <system_error>
#include <vector>

#include "contract/fabric/daemon_connection.h"
#include "contract/fabric/netd_protocol.h"

namespace pacbench::netd {

/// A client of the protocol in netd_protocol.h: sends requests over one connection, waits for their
/// replies, and keeps the events that come meanwhile. Requests throw ProtocolError: with the
/// daemon's own words when it refuses, with how it ended when it has gone, and when it sends no
/// message for its answer_time.
class Client {
 public:
  /// Throws std::system_error as DaemonConnection does.
  explicit Client(Daemon daemon) : connection_{std::move(daemon)} {}

  CreatedReply create(const CreateRequest& request);
  /// Starts a program, whose descriptors 0, 1, 2, ... become `fds`. A shared daemon starts it in
  /// the mount namespace of this process.
  SpawnedReply spawn(SpawnRequest request, std::vector<int> fds);
  /// Asks the daemon to begin the schedule, which changes rates of links at its times.
  ScheduledReply schedule(const ScheduleRequest& request);
  CountersReply counters();
  /// Sends the signal `number` to the spawned program `process`. Does nothing when it has ended.
  void signal(int process, int number);
  std::vector<Feature> features();

  /// Which programs have ended since the last call. Throws ProtocolError when the daemon has gone,
  /// or has sent an error.
  std::vector<ExitedEvent> take_exited();
  /// Which steps of schedules have been taken since the last call. Throws as take_exited() does.
  std::vector<SteppedEvent> take_stepped();

  /// Returns the error that the daemon sent before it closed the connection; empty without one.
  std::string last_words() { return connection_.last_words(); }

  /// Readable when the daemon has sent events. Events that a request has kept do not show here.
  int fd() const { return connection_.fd(); }
  int pid() const { return connection_.pid(); }  ///< as DaemonConnection's

 private:
  Json ask(const Json& request, const std::string& expected, const std::vector<int>& fds = {});
  Json receive();
  void take_events();
  bool keep_event(const Json& message);
  [[noreturn]] void fail(const std::system_error& error);
  [[noreturn]] void daemon_gone();

  DaemonConnection connection_;
  std::vector<ExitedEvent> exited_;
  std::vector<SteppedEvent> stepped_;
};

}  // namespace pacbench::netd
