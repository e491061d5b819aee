#pragma once

#include <string>
#include <vector>

#include "base/json/json_reader.h"

namespace pacbench::plan {

/// What `pacbench exec` and `pacbench shell` are told in one line: programs or a shell, over links
/// of a star between their workers.
struct OneLine {
  int workers = 2;
  std::string rate;  ///< of each link, each way; as rate_mbit() reads it
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

/// Reads a rate as tc and people write it: "100mbit", "1.5 Gbit/s", "500kbps", "12.5 MB/s". Returns
/// Mbit/s (10^6 bits). A capital B before "/s" or "ps" means bytes; tc's own "mbps", which also
/// means bytes there, is taken as bits, as most people mean it. Throws std::invalid_argument saying
/// what was found and what is expected, also for a number without a unit.
double rate_mbit(const std::string& text);

/// Reads a time: "20ms", "0.2 s", "150us". Returns milliseconds. Throws as rate_mbit().
double time_ms(const std::string& text);

/// Reads a share: "0.1%". Returns 0.001. Throws as rate_mbit().
double share_of_percent(const std::string& text);

}  // namespace pacbench::plan
