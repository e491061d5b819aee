#pragma once

#include <string>
#include <vector>

#include "base/subprocess.h"

namespace pacbench {

/// Starts argv[0] (an absolute path) in a session of its own, out of reach of the terminal's
/// Ctrl-C. The program's whole environment is `environment`, as NAME=value. Its descriptors 0, 1,
/// 2, ... are `fds`, and all signals have their default actions. The kernel kills the program when
/// the calling thread ends, so at the latest when this process ends.
/// Throws std::system_error naming the program when it cannot start.
ChildProcess start_process(const std::vector<std::string>& argv,
                           const std::vector<std::string>& environment,
                           const std::vector<int>& fds);

}  // namespace pacbench
