#pragma once

#include <string>

namespace pacbench::cell {

/// What a program that failed may have missed in its namespaces, by what it printed last: a
/// variable that the caller's shell has and ranks do not get, or the internet. "; WORDS", to be put
/// after the reason; empty where nothing is known.
std::string hint_for(const std::string& output);

/// Whether the output says that a peer's connection was lost, which another rank's end causes.
bool lost_a_peer(const std::string& output);

}  // namespace pacbench::cell
