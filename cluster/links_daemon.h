#pragma once

#include <string>
#include <vector>

#include "base/message_socket.h"
#include "base/subprocess.h"
#include "contract/fabric/netd_protocol.h"

namespace pacbench::cluster {

/// A node's connection to the pacbench-netd of its host. Everything that is made over it ends with
/// this object.
class LinksDaemon {
 public:
  /// Starts a daemon for this connection alone where this process is root. Elsewhere connects to
  /// the host's service. Throws std::system_error naming the program or the service's socket.
  LinksDaemon();
  ~LinksDaemon();
  LinksDaemon(const LinksDaemon&) = delete;
  LinksDaemon& operator=(const LinksDaemon&) = delete;

  /// These throw std::runtime_error or ProtocolError with the daemon's own words.
  netd::CreatedReply create(const netd::CreateRequest& request);
  void spawn(netd::SpawnRequest request, std::vector<int> fds);
  netd::CountersReply counters();

  /// Returns the error that the daemon sent before it closed the connection; empty without one.
  std::string last_words();

 private:
  Json ask(const Json& request, const std::string& expected, const std::vector<int>& fds = {});

  MessageSocket socket_{UniqueFd{}};
  ChildProcess program_;  ///< not running where the daemon is the host's service
};

}  // namespace pacbench::cluster
