#pragma once

#include <string>
#include <vector>

namespace pacbench::launch {

/// The nodes of a run and the hub that they are to join.
struct NodeGroup {
  int nodes = 1;
  std::string program;   ///< path of pacbench-cluster
  std::string name;      ///< of the scenario
  std::string hub = {};  ///< "HOST:PORT"
  /// Whether a host may have several nodes: each makes links of its own, whose bytes are counted
  /// apart.
  bool share_hosts = false;
};

/// The command that starts `pacbench-cluster node` once in each task of a Slurm allocation.
std::vector<std::string> srun_words(const NodeGroup& group);

/// The script of the job for sbatch, which runs the srun command.
std::string batch_script(const NodeGroup& group);

/// The `sbatch` command with the user's arguments `own_words`; it reads the script from standard
/// input. Throws ConfigError when quotes in `own_words` do not close.
std::vector<std::string> sbatch_words(const std::string& own_words);

/// The commands to type on hosts without a scheduler, with the token and the hub's address.
std::string torchrun_words(const NodeGroup& group, const std::string& token);

/// A batch job of Slurm.
struct SlurmJob {
  std::string id;
  std::string cluster = {};  ///< empty: the one that Slurm's commands mean by default

  /// Submits the script. Throws CommandFailed with sbatch's own words.
  static SlurmJob submit(const std::vector<std::string>& sbatch, const std::string& script);

  /// The state of the job, as "PENDING (Resources)"; empty when Slurm no longer lists it. When
  /// squeue fails otherwise, "UNKNOWN: " with the reason.
  std::string state() const;

  /// Three commands. state_command() prints the state. So does last_state_command(), but it first
  /// waits up to 5 s while the job is COMPLETING: that state hides whether the job was cancelled or
  /// timed out. cancel_command() cancels the job.
  std::vector<std::string> state_command() const;
  std::vector<std::string> last_state_command() const;
  std::vector<std::string> cancel_command() const;

 private:
  std::vector<std::string> about(std::vector<std::string> command) const;
};

/// Whether the tasks of a job in this state have been started.
bool is_running(const std::string& state);

/// Whether a job in this state will never run, or has ended.
bool is_over(const std::string& state);

/// Whether this process runs inside an allocation of Slurm.
bool inside_allocation();

}  // namespace pacbench::launch
