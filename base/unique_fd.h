#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <utility>

#include "base/check.h"

namespace pacbench {

/// Owns one file descriptor and closes it; -1 means none.
class UniqueFd {
 public:
  UniqueFd() = default;
  explicit UniqueFd(int fd) : fd_{fd} {}
  UniqueFd(UniqueFd&& other) noexcept : fd_{std::exchange(other.fd_, -1)} {}
  UniqueFd& operator=(UniqueFd&& other) noexcept {
    if (this != &other) reset(std::exchange(other.fd_, -1));
    return *this;
  }
  ~UniqueFd() { reset(); }

  int get() const { return fd_; }
  int release() { return std::exchange(fd_, -1); }
  explicit operator bool() const { return fd_ >= 0; }

  void reset(int fd = -1) {
    if (fd_ >= 0) ::close(fd_);
    fd_ = fd;
  }

 private:
  int fd_ = -1;
};

/// Another descriptor of the same file, closed on exec. Throws std::system_error.
inline int duplicate(int fd) { return check("dup", ::fcntl(fd, F_DUPFD_CLOEXEC, 0)); }

}  // namespace pacbench
