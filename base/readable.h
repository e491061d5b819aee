#pragma once

namespace pacbench {

/// Waits until a descriptor has something to read, is at its end or has an error, and returns true.
/// Returns false after `timeout_ms`; a negative `timeout_ms` sets no limit. After a signal, the
/// whole `timeout_ms` begins again. A pidfd has something to read once its process has ended.
bool readable(int fd, int timeout_ms);

}  // namespace pacbench
