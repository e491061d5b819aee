#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <string>

namespace pacbench::probe {

/// The facts of one process in /proc/PID/stat.
struct ProcessStat {
  std::string name;
  pid_t parent = 0;
  bool of_kernel = false;  ///< a thread of the kernel
  std::int64_t ticks = 0;  ///< CPU time, with that of its children that were waited for
};

/// Reads the text of /proc/PID/stat; a process without a parent when the text has another form.
ProcessStat process_stat(const std::string& text);

/// CPU time of processes that do not belong to this run. A run's own are a root process, all below
/// it, and every pacbench-netd with all below it. Threads of the kernel belong to nobody.
class OthersTime {
 public:
  explicit OthersTime(pid_t root);

  /// The CPU time that others have used since the last call, or since the construction. The time
  /// of a process that ended counts once its parent has waited for it.
  std::int64_t take_ns();

 private:
  struct Process {
    pid_t parent = 0;
    bool counts = false;  ///< it is another's
  };

  std::int64_t sum_ticks();

  pid_t root_;
  std::map<pid_t, Process> processes_;
  std::int64_t last_ticks_ = 0;
};

}  // namespace pacbench::probe
