#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/files.h"
#include "base/json/json_reader.h"
#include "base/subprocess.h"
#include "harness/machine/process_channel.h"

namespace pacbench::launch {

/// A running `pacbench-cluster hub` for `nodes` nodes. It ends when this object or this process
/// does.
class HubProcess {
 public:
  /// `bind`: the IPv4 address of this host at which the hub listens for nodes; "0.0.0.0": all of
  /// them. `share_hosts`: whether a host may have several nodes. Throws std::system_error or
  /// ProtocolError when the hub does not start.
  HubProcess(const std::string& program, int nodes, const std::string& bind,
             const std::string& token, bool share_hosts);
  /// Tells the hub to end, and waits for its end, 12 s at most. The hub first runs the command that
  /// run_at_end() set.
  ~HubProcess();
  HubProcess(const HubProcess&) = delete;
  HubProcess& operator=(const HubProcess&) = delete;

  const std::string& socket() const { return socket_; }  ///< for links::Fabric
  int port() const { return port_; }
  int fd() const { return process_.pidfd(); }

  /// Ranks that have joined so far. Throws ProtocolError when one was lost, or the hub has ended.
  const std::set<int>& joined();

  /// Returns the refusals since the last call: each names a node and why it may not join.
  std::vector<std::string> take_refusals() { return std::exchange(refusals_, {}); }

  /// Sets a command that the hub runs when it ends, however this process ends.
  void run_at_end(const std::vector<std::string>& words);
  /// Sets a command whose output says why nodes were lost.
  void explain_by(const std::vector<std::string>& words);

 private:
  void tell(const char* key, const std::vector<std::string>& words);
  void listen();

  TemporaryFolder folder_;
  std::string socket_;
  ProcessChannel channel_;
  ChildProcess process_;
  int port_ = 0;
  std::set<int> joined_;
  std::vector<std::string> refusals_;
  std::string errors_;
};

}  // namespace pacbench::launch
