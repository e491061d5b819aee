#pragma once

#include <string>
#include <vector>

namespace pacbench {

/// Names each thing that is left behind in the sandbox of tools/random-kills, in a line of its own:
/// there nobody else has processes, links, sockets or files, and the kernel counts its namespaces.
/// Empty when nothing is left.
std::vector<std::string> leftovers();

/// The same once nothing is left any more, or else after the time that the kernel needs.
std::vector<std::string> leftovers_in_the_end();

/// How many namespaces of a kind (CLONE_NEWNET) the user namespace of this process has, those
/// without a process included; `limit` is the kind's file in /proc/sys/user.
int count_namespaces(const std::string& limit, int kind);

}  // namespace pacbench
