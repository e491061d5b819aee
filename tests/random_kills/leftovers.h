#pragma once

#include <string>
#include <vector>

namespace pacbench {

/// Names each thing that is left behind in the sandbox of tools/random-kills, in a line of its own.
/// In that sandbox nobody else has processes, links, sockets or files, and the kernel counts its
/// namespaces. These are named only when nothing else is left. Empty when nothing at all is left.
std::vector<std::string> leftovers();

/// Waits until leftovers() finds nothing, at most as long as the kernel may need; returns what it
/// found last.
std::vector<std::string> leftovers_in_the_end();

/// The number of namespaces of a kind, such as CLONE_NEWNET, that the user namespace of this
/// process has, also those without a process. `limit` is the kind's file in /proc/sys/user.
int count_namespaces(const std::string& limit, int kind);

}  // namespace pacbench
