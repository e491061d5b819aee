#pragma once

#include <string>
#include <vector>

#include "base/unique_fd.h"

namespace pacbench {

/// The variables of this process that the programs it starts need, as NAME=value.
std::vector<std::string> minimal_environment();

/// An anonymous file in memory of `bytes` zeros, closed on exec.
UniqueFd memory_file(const char* name, std::int64_t bytes);

/// The whole text of a memory_file().
std::string text_in(int memory_file);

/// The last `count` lines of a text that are not empty, joined by " | ".
std::string last_lines(const std::string& text, std::size_t count);

}  // namespace pacbench
