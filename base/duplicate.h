#pragma once

#include <fcntl.h>

#include "base/check.h"

namespace pacbench {

/// Another descriptor of the same file, closed on exec. Throws std::system_error.
inline int duplicate(int fd) { return check("dup", ::fcntl(fd, F_DUPFD_CLOEXEC, 0)); }

}  // namespace pacbench
