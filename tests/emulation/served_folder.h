#pragma once

#include <sys/types.h>

#include "base/files.h"
#include "base/unique_fd.h"

namespace pacbench {

/// A file system (FUSE) that this process serves to a user. The process answers no request.
class ServedFolder {
 public:
  /// Moves this process into a mount namespace of its own, where it stays.
  explicit ServedFolder(uid_t user);
  ServedFolder(const ServedFolder&) = delete;
  ServedFolder& operator=(const ServedFolder&) = delete;
  ~ServedFolder();

  /// False where there is no FUSE.
  bool there() const { return static_cast<bool>(server_); }
  UniqueFd open() const;

 private:
  TemporaryFolder folder_;
  UniqueFd server_;
};

}  // namespace pacbench
