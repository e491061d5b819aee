#pragma once

#include <poll.h>

#include <cerrno>

namespace pacbench {

/// Waits until a descriptor has something to read, is at its end or has an error, and returns true.
/// Returns false after `timeout_ms`; a negative `timeout_ms` sets no limit. After a signal, the
/// whole `timeout_ms` begins again. A pidfd has something to read once its process has ended.
inline bool readable(int fd, int timeout_ms) {
  pollfd poll{fd, POLLIN, 0};
  int count = 0;
  do {
    count = ::poll(&poll, 1, timeout_ms);
  } while (count < 0 && errno == EINTR);
  return count > 0;
}

}  // namespace pacbench
