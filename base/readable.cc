#include "base/readable.h"

#include <poll.h>

#include <cerrno>

namespace pacbench {

bool readable(int fd, int timeout_ms) {
  pollfd poll{fd, POLLIN, 0};
  int count = 0;
  do {
    count = ::poll(&poll, 1, timeout_ms);
  } while (count < 0 && errno == EINTR);
  return count > 0;
}

}  // namespace pacbench
