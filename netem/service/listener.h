#pragma once

#include <sys/types.h>

#include <string>

#include "base/unique_fd.h"

namespace pacbench::netem {

/// A Unix stream socket that others connect to.
class Listener {
 public:
  /// The socket that systemd has made and hands over (sd_listen_fds(3)). Throws std::runtime_error
  /// when there is no such socket, several, or one of another kind.
  static Listener inherited();

  /// Makes a socket at `path` (mode 0660, of the group) in a folder that is made when absent (mode
  /// 0750, of the group). A socket file that nobody listens to any more is replaced. Throws
  /// std::runtime_error when somebody listens to it, or when the file is not a socket.
  static Listener at(const std::string& path, gid_t group);

  Listener(Listener&& other) noexcept;
  Listener& operator=(Listener&&) = delete;
  /// Removes the socket's file, if this object made the file and nobody replaced it.
  ~Listener();

  int fd() const { return fd_.get(); }

  /// Keeps the socket's file when the socket is closed: for a child of the process that made it.
  void leave() { path_.clear(); }

 private:
  explicit Listener(UniqueFd fd) : fd_{std::move(fd)} {}

  UniqueFd fd_;
  std::string path_;  ///< of the file to remove; empty: none
  ino_t inode_ = 0;
};

}  // namespace pacbench::netem
