#pragma once

#include <string>
#include <vector>

#include "base/subprocess.h"

namespace pacbench {

/// Starts argv[0] (an absolute path) in a session of its own, out of reach of the terminal's
/// Ctrl-C, with `fds` as its 0, 1, 2, ... and all signals at their defaults; it is killed when
/// this process dies. Throws std::system_error naming the program when it cannot start.
ChildProcess start_process(const std::vector<std::string>& argv,
                           const std::vector<std::string>& environment,
                           const std::vector<int>& fds);

/// The variables of this process that the programs it starts need, as NAME=value.
std::vector<std::string> minimal_environment();

/// An anonymous file in memory of `bytes` zeros, closed on exec.
UniqueFd memory_file(const char* name, std::int64_t bytes);

/// The last `count` lines of a text, on one line.
std::string last_lines(const std::string& text, std::size_t count);

}  // namespace pacbench
