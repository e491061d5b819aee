#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace pacbench::cell {

/// What a program that failed may have missed in its namespaces, by what it printed last: a
/// variable that the caller's shell has and ranks do not get, or the internet. "; WORDS", to be put
/// after the reason; empty where nothing is known.
std::string hint_for(const std::string& output);

/// Whether the output says that a peer's connection was lost, which another rank's end causes.
bool lost_a_peer(const std::string& output);

/// An aborted process has this long to print its stacks; it may have a hundred threads.
inline constexpr std::int64_t kPythonStacksNs = 3'000'000'000;

/// The frames of each thread, the innermost first, as Python's fault handler printed them:
/// `File "train.py", line 3 in step`.
std::vector<std::vector<std::string>> python_stacks_in(const std::string& output);

/// Returns what was printed before these stacks.
std::string before_python_stacks(const std::string& output);

}  // namespace pacbench::cell
