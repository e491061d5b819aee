#pragma once

namespace pacbench {

/// Waits until a descriptor has something to read, or is at its end; for `timeout_ms` at most, and
/// without a limit when that is negative. Returns whether it is so. A pidfd has something to read
/// once its process has ended. A signal makes the whole time begin again.
bool readable(int fd, int timeout_ms);

}  // namespace pacbench
