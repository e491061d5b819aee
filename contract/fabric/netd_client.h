#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <system_error>
#include <vector>

#include "base/json/message_socket.h"
#include "base/subprocess.h"
#include "contract/fabric/netd_protocol.h"

namespace pacbench::netd {

/// A pacbench-netd, and how long its client waits for it.
struct Daemon {
  std::string path;     ///< the socket of a running daemon or of a cluster's hub, or the program of
                        ///< a private daemon, which is started for one connection alone
  bool shared = false;  ///< whether `path` is such a socket
  std::chrono::milliseconds answer_time{};    ///< a daemon silent for longer is taken to hang
  std::chrono::milliseconds teardown_time{};  ///< how long removing all may take

  // The rest is about a private daemon.
  std::vector<std::string> environment = {};  ///< NAME=value; leads to its libraries, `ip` and `tc`
  UniqueFd log = {};                          ///< gets what it writes to stdout and stderr
  /// Quotes the end of `log`, for errors about a daemon that has ended. Without this function
  /// errors quote nothing.
  std::function<std::string(int log)> quote = {};
};

/// A client of the protocol in netd_protocol.h: sends requests over one connection, waits for their
/// replies, and keeps the events that come meanwhile. Everything that is made over the connection
/// ends with this object. Requests throw ProtocolError: with the daemon's own words when it
/// refuses, with how it ended when it has gone, and when it sends no message for its answer_time.
class Client {
 public:
  /// Connects to a shared daemon, or starts a private one. Throws std::system_error naming the
  /// socket or the program.
  explicit Client(Daemon daemon);
  Client(Client&&) = delete;
  Client& operator=(Client&&) = delete;
  /// Asks the daemon to remove what was made, and waits for that for about teardown_time at most.
  /// Then kills a private daemon that still runs.
  ~Client();

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
  std::string last_words();

  /// Readable when the daemon has sent events. Events that a request has kept do not show here.
  int fd() const { return socket_.fd(); }
  /// The process that all programs started over this connection descend from. On a cluster it is
  /// the hub, from which none descends: nodes start them on their hosts. Throws std::system_error.
  int pid() const;

 private:
  Json ask(const Json& request, const std::string& expected, const std::vector<int>& fds = {});
  Json receive();
  void take_events();
  bool keep_event(const Json& message);
  /// Says how the daemon ended, with its own words where they are known.
  std::string end();
  [[noreturn]] void fail(const std::system_error& error);
  [[noreturn]] void daemon_gone();

  Daemon daemon_;
  MessageSocket socket_{UniqueFd{}};
  ChildProcess program_;  ///< the private daemon; none where the daemon is shared
  std::vector<ExitedEvent> exited_;
  std::vector<SteppedEvent> stepped_;
};

}  // namespace pacbench::netd
