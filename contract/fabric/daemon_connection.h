#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "base/json/message_socket.h"
#include "base/subprocess.h"

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

/// One connection to a pacbench-netd. Everything that is made over it ends with this object.
class DaemonConnection {
 public:
  /// Connects to a shared daemon, or starts a private one. Throws std::system_error naming the
  /// socket or the program.
  explicit DaemonConnection(Daemon daemon);
  DaemonConnection(DaemonConnection&&) = delete;
  DaemonConnection& operator=(DaemonConnection&&) = delete;
  /// Asks the daemon to remove what was made, and waits for that for about teardown_time at most.
  /// Then kills a private daemon that still runs.
  ~DaemonConnection();

  /// Sending and receiving fail with EAGAIN once a call has lasted for the daemon's answer_time.
  MessageSocket& socket() { return socket_; }
  int fd() const { return socket_.fd(); }
  const Daemon& daemon() const { return daemon_; }
  /// The process that all programs started over this connection descend from. On a cluster it is
  /// the hub, from which none descends: nodes start them on their hosts. Throws std::system_error.
  int pid() const;

  /// Returns the error that the daemon sent before it closed the connection; empty without one.
  std::string last_words();

  /// Says how the daemon ended, with its own words where they are known. Call it when the
  /// connection has broken.
  std::string end();

 private:
  Daemon daemon_;
  MessageSocket socket_{UniqueFd{}};
  ChildProcess program_;  ///< the private daemon; none where the daemon is shared
};

}  // namespace pacbench::netd
