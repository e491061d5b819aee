#pragma once

#include <string>
#include <vector>

namespace pacbench {

/// What is left behind, one line each, in the sandbox of tools/kill-storm: there nobody else has
/// processes, links, sockets or files, and the kernel counts its namespaces. Empty when
/// nothing is left.
std::vector<std::string> leftovers();

/// The same once nothing is left any more, or else after the time that the kernel needs.
std::vector<std::string> leftovers_in_the_end();

}  // namespace pacbench
