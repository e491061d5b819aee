#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>

namespace pacbench {

/// A process that cannot be mistaken for a later one with the same number.
struct ProcessIdentity {
  pid_t pid = 0;
  std::int64_t start_ticks = 0;  ///< clock ticks from boot to its start, as in /proc/PID/stat

  /// The process that has this number now; nothing when there is none or it is a zombie.
  static std::optional<ProcessIdentity> of(pid_t pid);

  bool running() const { return of(pid) == *this; }
  bool operator==(const ProcessIdentity&) const = default;
};

/// Ends a process with SIGKILL, unless its number belongs to another process by now, and waits
/// until it has gone. False when it is still there after `timeout_ms`. Throws std::system_error
/// when this process may not end it, or has no room for another descriptor.
bool end_process(const ProcessIdentity& process, int timeout_ms);

}  // namespace pacbench
