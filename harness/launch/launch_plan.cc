#include "harness/launch/launch_plan.h"

#include <fmt/format.h>

#include <iomanip>
#include <sstream>

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

}  // namespace pacbench::launch
