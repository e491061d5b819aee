#include "harness/launch/slurm_job.h"

#include <algorithm>
#include <array>
#include <cstdlib>

#include "base/subprocess.h"

namespace pacbench::launch {
namespace {

// state() returns this word and the reason where squeue did not answer. The job may go on.
constexpr const char* kUnknown = "UNKNOWN: ";

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

/// Returns the answer of squeue. A line before it may name the cluster that was asked.
std::string last_line(std::string text) {
  while (text.ends_with('\n')) text.pop_back();
  return text.substr(text.rfind('\n') + 1);
}

}  // namespace

SlurmJob SlurmJob::submit(const std::vector<std::string>& sbatch, const std::string& script) {
  const auto answer = first_line(run_checked(sbatch, script));
  const auto end = answer.find(';');  // "ID;CLUSTER" where there are several clusters
  if (end == std::string::npos) return {answer};
  return {answer.substr(0, end), answer.substr(end + 1)};
}

/// The command, asking the cluster that has the job.
std::vector<std::string> SlurmJob::about(std::vector<std::string> command) const {
  if (!cluster.empty()) command.insert(command.begin() + 1, "--clusters=" + cluster);
  return command;
}

std::vector<std::string> SlurmJob::state_command() const {
  return about({"squeue", "--noheader", "--states=all", "--jobs=" + id, "--format=%T (%r)"});
}

std::vector<std::string> SlurmJob::last_state_command() const {
  return {"sh", "-c",
          "for i in 1 2 3 4 5 6 7 8 9 10; do state=$(" + shell_words(state_command()) +
              " | tail -n 1); case $state in COMPLETING*) sleep 0.5;; *) break;; esac; done; echo "
              "$state"};
}

std::vector<std::string> SlurmJob::cancel_command() const { return about({"scancel", id}); }

std::string SlurmJob::state() const {
  const auto answer = run_command(state_command());
  const bool forgotten = answer.err.find("Invalid job id") != std::string::npos;
  if (!answer.status.ok() && !forgotten) return kUnknown + first_line(answer.err);
  return last_line(answer.out);
}

bool is_running(const std::string& state) { return state.starts_with("RUNNING"); }

bool is_over(const std::string& state) {
  constexpr std::array kRunning{"PENDING",   "CONFIGURING", "RUNNING",
                                "SUSPENDED", "REQUEUED",    kUnknown};
  return std::none_of(kRunning.begin(), kRunning.end(),
                      [&](const char* word) { return state.starts_with(word); });
}

bool inside_allocation() { return std::getenv("SLURM_JOB_ID") != nullptr; }

}  // namespace pacbench::launch
