#pragma once

#include <string>
#include <vector>

namespace pacbench {

/// One process as /proc shows it.
struct ProcessEntry {
  int pid = 0;
  int parent = 0;
  int innermost_pid = 0;  ///< its number in its own pid namespace
  char state = '?';
  std::string name;
};

/// Reads every visible process of the host.
std::vector<ProcessEntry> read_process_table();

/// Whether the process with number `pid`, on the host or in a pid namespace of its own, has been
/// stopped by a signal or a debugger. Only `ancestor` and its descendants are looked at.
bool is_stopped(int ancestor, int pid);

}  // namespace pacbench
