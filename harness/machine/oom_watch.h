#pragma once

#include <cstdint>
#include <string>

#include "base/subprocess.h"

namespace pacbench {

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
