#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/subprocess.h"
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

/// Reports whether signal 9 probably came from the kernel, which ends processes when no memory is
/// left.
class OomWatch {
 public:
  OomWatch();

  /// Words to put after `status.describe()`. They are empty unless signal 9 ended the process and
  /// the kernel has killed a process for lack of memory since this watch began. The count (oom_kill
  /// of /proc/vmstat) is the whole machine's, so the kernel may have killed another process.
  std::string words(const ExitStatus& status) const;

 private:
  std::int64_t before_;
};

}  // namespace pacbench
