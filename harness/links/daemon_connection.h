#pragma once

#include <string>

#include "base/message_socket.h"
#include "base/subprocess.h"

namespace pacbench::links {

/// One connection to a pacbench-netd. Everything that is made over it ends with this object.
class DaemonConnection {
 public:
  /// `daemon` is the program of a private daemon, started for this connection alone, or the socket
  /// of a daemon that several users share. Throws std::system_error naming the program or socket.
  explicit DaemonConnection(const std::string& daemon);
  DaemonConnection(DaemonConnection&&) = delete;
  DaemonConnection& operator=(DaemonConnection&&) = delete;
  ~DaemonConnection();

  MessageSocket& socket() { return socket_; }
  int fd() const { return socket_.fd(); }
  bool shared() const { return shared_; }
  /// The process that all programs started over this connection descend from.
  int pid() const;

  /// Says how the daemon ended, with its own words where they are known. Call it when the
  /// connection has broken.
  std::string end();

 private:
  std::string refusal();

  UniqueFd log_;  ///< what a private daemon writes to stdout and stderr
  MessageSocket socket_{UniqueFd{}};
  ChildProcess program_;
  bool shared_ = false;
};

/// Waits for `timeout_ms` at most; true when there is something to read.
bool readable(int fd, int timeout_ms);

/// Returns the argument for DaemonConnection: `program` for a private daemon, else the path of a
/// shared daemon's socket. `choice` is "private", such a path, or "auto". With "auto" root gets a
/// private daemon. Others get the shared daemon at its usual place if they may connect to it, else
/// a private one, in a user namespace. Throws ConfigError when no socket is at the path `choice`.
std::string choose_daemon(const std::string& choice, const std::string& program);

}  // namespace pacbench::links
