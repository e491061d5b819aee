#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/files.h"
#include "base/json/json_reader.h"
#include "base/subprocess.h"
#include "harness/launch/launch_plan.h"
#include "harness/machine/interrupt.h"
#include "harness/machine/process_channel.h"

namespace pacbench::launch {

/// A running `pacbench-cluster hub` for a group's nodes. It ends when this object or this process
/// does.
class HubProcess {
 public:
  /// `bind`: the IPv4 address of this host at which the hub listens for nodes; "0.0.0.0": all of
  /// them. Throws std::system_error or ProtocolError when the hub does not start.
  HubProcess(const NodeGroup& group, const std::string& bind, const std::string& token);
  /// Tells the hub to end, and waits for its end, 12 s at most. The hub first runs its command
  /// "at_end".
  ~HubProcess();
  HubProcess(const HubProcess&) = delete;
  HubProcess& operator=(const HubProcess&) = delete;

  const std::string& socket() const { return socket_; }  ///< for links::Fabric
  int port() const { return port_; }

  /// Ranks that have joined so far. Throws ProtocolError when one was lost, or the hub has ended.
  const std::set<int>& joined();

  /// Returns the refusals since the last call: each names a node and why it may not join.
  std::vector<std::string> take_refusals() { return std::exchange(refusals_, {}); }

  /// Sets a command of the hub: "at_end", which it runs when it ends, however this process ends, or
  /// "explain", whose output says why nodes were lost.
  void set_command(const char* key, const std::vector<std::string>& words);

 private:
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

/// How a run gets its nodes.
struct ClusterOptions {
  std::string on;       ///< "slurm" or "torchrun"
  std::string sbatch;   ///< additional arguments for sbatch
  std::string address;  ///< at which nodes reach the hub; empty: this host's name
  int join_s = 120;     ///< within which all nodes must join once Slurm has started them
};

/// The commands that would start the nodes, as text. Throws ConfigError when the words for sbatch
/// have a quote that is not closed.
std::string describe(const ClusterOptions& options, NodeGroup group);

/// The nodes of a run, one for each worker, joined by a hub. The nodes and a job of Slurm end with
/// this object, and when this process dies.
class Cluster {
 public:
  using Say = std::function<void(const std::string&)>;

  /// Starts the nodes, or says how to start them, and waits until all have joined. Throws
  /// ConfigError, CommandFailed, ProtocolError or std::system_error saying why they have not, and
  /// Interrupted.
  Cluster(const ClusterOptions& options, NodeGroup group, const Say& say);

  /// The socket of the hub, at which links::Fabric finds the nodes.
  const std::string& socket() const { return hub_.socket(); }

 private:
  void start_inside();
  void submit(const ClusterOptions& options, const Say& say);
  void wait(const Say& say);
  void check_launcher() const;
  void follow_job(const Say& say);
  void check_time() const;
  std::string missing() const;

  NodeGroup group_;
  std::string token_;
  HubProcess hub_;
  UniqueFd srun_output_;
  ChildProcess srun_;
  std::optional<SlurmJob> job_;             ///< of sbatch
  std::optional<std::string> job_state_;    ///< what Slurm last said; absent: it was not asked yet
  std::int64_t asked_ns_ = 0;               ///< when Slurm was last asked for the job's state
  std::optional<std::int64_t> started_ns_;  ///< when the nodes started; absent: not yet, or unknown
  int join_s_;
  std::set<int> joined_;
};

}  // namespace pacbench::launch
