#pragma once

#include <string>
#include <vector>

namespace pacbench::launch {

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
