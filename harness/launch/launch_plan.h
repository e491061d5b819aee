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

}  // namespace pacbench::launch
