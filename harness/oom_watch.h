#pragma once

#include <cstdint>
#include <string>

#include "base/subprocess.h"

namespace pacbench {

/// Tells whether signal 9 came from the kernel, which ends processes when there is no memory left.
class OomWatch {
 public:
  OomWatch();

  /// What to say after `status.describe()`: empty, unless the process was killed and the kernel
  /// has ended one for want of memory since this watch began (oom_kill of /proc/vmstat). That
  /// counter is the machine's: it may have been another one.
  std::string words(const ExitStatus& status) const;

 private:
  std::int64_t before_;
};

}  // namespace pacbench
