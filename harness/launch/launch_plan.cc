#include "harness/launch/launch_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>

#include "base/errors.h"
#include "base/subprocess.h"

namespace pacbench::launch {
namespace {

/// Splits at spaces, but not within single or double quotes.
std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  std::string word;
  bool in_word = false;
  char quote = 0;
  for (const char c : text) {
    if (quote != 0) {
      quote == c ? void(quote = 0) : word.push_back(c);
    } else if (c == '\'' || c == '"') {
      quote = c;
      in_word = true;
    } else if (c == ' ' || c == '\t' || c == '\n') {
      if (in_word) words.push_back(std::exchange(word, {}));
      in_word = false;
    } else {
      word.push_back(c);
      in_word = true;
    }
  }
  if (quote != 0) {
    throw ConfigError{"--sbatch", {{"", fmt::format("a quote is not closed in: {}", text)}}};
  }
  if (in_word) words.push_back(word);
  return words;
}

// state() returns this word and the reason where squeue did not answer. The job may go on.
constexpr const char* kUnknown = "UNKNOWN: ";

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

/// Returns the answer of squeue. A line before it may name the cluster that was asked.
std::string last_line(std::string text) {
  while (text.ends_with('\n')) text.pop_back();
  return text.substr(text.rfind('\n') + 1);
}

}  // namespace

// The hub reports which node was lost, so when a node fails, srun must let the others go on
// (--kill-on-bad-exit=0).
std::vector<std::string> srun_words(const NodeGroup& group) {
  std::vector<std::string> words{"srun", fmt::format("--ntasks={}", group.nodes)};
  if (!group.share_hosts) words.emplace_back("--ntasks-per-node=1");
  words.insert(words.end(),
               {"--kill-on-bad-exit=0", fmt::format("--job-name=pacbench-{}", group.name),
                group.program, "node", group.hub});
  return words;
}

std::string batch_script(const NodeGroup& group) {
  return fmt::format(
      "#!/bin/sh\n"
      "#SBATCH --job-name=pacbench-{}\n"
      "#SBATCH --ntasks={}\n"
      "{}"
      "#SBATCH --output=/dev/null\n"
      "exec {}\n",
      group.name, group.nodes, group.share_hosts ? "" : "#SBATCH --ntasks-per-node=1\n",
      shell_words(srun_words(group)));
}

std::vector<std::string> sbatch_words(const std::string& own_words) {
  std::vector<std::string> words{"sbatch", "--parsable"};
  for (auto& word : words_of(own_words)) words.push_back(std::move(word));
  return words;
}

std::string torchrun_words(const NodeGroup& group, const std::string& token) {
  return fmt::format(
      "run on each of {} hosts, one rank a host:\n"
      "  export PACBENCH_CLUSTER_TOKEN={}\n"
      "  torchrun --nnodes={} --nproc-per-node=1 --rdzv-backend=c10d --rdzv-id=pacbench "
      "--rdzv-endpoint=ONE_OF_THE_HOSTS:29400 --no-python {} node {}\n"
      "or, in place of the line with torchrun, N from 0 to {}:\n"
      "  RANK=N {} node {}\n",
      group.nodes, token, group.nodes, group.program, group.hub, group.nodes - 1, group.program,
      group.hub);
}

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
  return std::ranges::none_of(kRunning, [&](const char* word) { return state.starts_with(word); });
}

bool inside_allocation() { return std::getenv("SLURM_JOB_ID") != nullptr; }

}  // namespace pacbench::launch
