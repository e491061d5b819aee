#pragma once

#include <optional>
#include <string>
#include <vector>

#include "contract/scenario/scenario.h"

namespace pacbench {

/// A launcher in a command line: a program that itself starts the processes of a distributed
/// training, such as torchrun. In a scenario's command each rank would start it, and the processes
/// of a rank would exchange data with each other past the links.
struct Launch {
  std::string launcher;  ///< such as "torchrun" or "python -m torch.distributed.run"
  /// The command and the arguments that start one process, as pacbench starts it for each rank:
  /// without the launcher and its options.
  std::vector<std::string> command;
  std::vector<std::string> arguments;
  std::string processes;       ///< how many processes the launcher was to start; empty: not said
  bool sets_own_rank = false;  ///< programs find their rank by the launcher's means, not in RANK
};

/// Finds the launcher in a command line: the command of a scenario, with a method's arguments after
/// it. Looks past programs that start another one (env, nice, uv run, ...) and into `sh -c`.
/// Returns nothing where there is none, or where the launcher has nothing to launch. Words that a
/// program gets as its arguments are not searched.
std::optional<Launch> find_launcher(const std::vector<std::string>& command,
                                    const std::vector<std::string>& arguments = {});

/// Throws ConfigError naming `source` where the program of a scenario is started by a launcher. The
/// message has the line to write instead. Reading a scenario does not check this, so that recorded
/// runs stay readable.
void refuse_launchers(const std::string& source, const Scenario& scenario);

}  // namespace pacbench
