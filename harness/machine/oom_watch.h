#pragma once

#include <cstdint>
#include <string>

#include "base/subprocess.h"

namespace pacbench {

/// Reports whether signal 9 came from the kernel, which ends processes when no memory is left.
class OomWatch {
 public:
  OomWatch();

  /// Words after `status.describe()`. They are empty unless the process was killed and the kernel
  /// has killed a process for lack of memory since this watch began (oom_kill of /proc/vmstat). The
  /// counter is the whole machine's, so that it may have been another process.
  std::string words(const ExitStatus& status) const;

 private:
  std::int64_t before_;
};

}  // namespace pacbench
