#pragma once

#include <string>
#include <vector>

#include "base/json/json_reader.h"

namespace pacbench::plan {

/// What `pacbench exec` and `pacbench shell` are told in one line: programs or a shell, over links
/// of a star between their workers.
struct OneLine {
  int workers = 2;
  std::string rate;  ///< of each link, each way; as harness/plan/units.h reads it
  std::string rtt;   ///< from a worker to another one and back; empty: no delay
  std::string loss;  ///< from a worker to another one; empty: none
  Json links;        ///< in place of rate, rtt and loss: a scenario's links; null: none
  int seeds = 1;     ///< 1 to this number
  std::vector<std::string> vary;  ///< one row each: arguments that are added to the command
  /// Variables of each rank: NAME=value, or NAME alone for the value that it has here.
  std::vector<std::string> environment;
  std::vector<std::string> command;
  std::string folder;  ///< where the command runs, as seen from the scenario's file
};

/// The links of one line, as a scenario has them. A path crosses the up link of one worker and the
/// down link of another one, and its answer crosses two more: so each link has a quarter of the
/// round trip, and of the packets the share that leaves the given loss over two links. Throws
/// ConfigError where an option cannot be read.
Json links_of(const OneLine& line);

/// The scenario that one line stands for. Its rows are named after the program, or after what
/// varies. Throws as links_of().
Json scenario_of(const OneLine& line);

/// The links of one line in words, for a path from one worker to another: "4 workers, 100 Mbit/s
/// each way, a round trip of 20 ms, 0.1 % lost". Throws as links_of().
std::string words_of(const OneLine& line);

/// The words of `text` as a shell would split them, without expansions: blanks separate, quotes and
/// backslashes keep. Throws ConfigError for a quote that does not end.
std::vector<std::string> split_words(const std::string& text);

/// The name of a program in a command line: "train" for python3 -u train.py, "torchbench" for
/// python3 -m torchbench.
std::string program_name(const std::vector<std::string>& command);

}  // namespace pacbench::plan
