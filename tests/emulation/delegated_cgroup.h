#pragma once

#include <string>

#include "base/files.h"

namespace pacbench {

/// A cgroup of version 2 that is given to a user, as systemd gives one to a service by Delegate=.
class DelegatedCgroup {
 public:
  /// Makes the cgroup. Moves this process into a mount namespace of its own, where it stays.
  explicit DelegatedCgroup(unsigned user);
  DelegatedCgroup(const DelegatedCgroup&) = delete;
  DelegatedCgroup& operator=(const DelegatedCgroup&) = delete;
  ~DelegatedCgroup();

  /// Why there is no cgroup that limits memory and tasks; empty when there is one.
  const std::string& missing() const { return missing_; }
  const std::string& path() const { return path_; }

  /// The number behind `key` in a file of one of its child groups, -1 when there is none.
  long number(const std::string& group, const std::string& file, const std::string& key) const;
  bool has(const std::string& group) const;

 private:
  TemporaryFolder mounted_;
  std::string path_;
  std::string missing_;
};

}  // namespace pacbench
