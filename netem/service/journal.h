#pragma once

#include <string>

#include "base/unique_fd.h"
#include "contract/fabric/session_entry.h"

namespace pacbench::netem {

/// How much one user may have of a shared daemon at a time.
struct Quota {
  int fabrics = 8;
  int workers = 256;
  double hours = 48;  ///< that one connection may last
};

/// The sessions of a shared daemon, as files that outlive it.
class Journal {
 public:
  /// Makes the folder when there is none, for this user alone. Throws std::runtime_error when
  /// another daemon keeps its journal there.
  explicit Journal(std::string folder);

  const std::string& folder() const { return folder_; }

  /// Ends what an earlier daemon left running, if anything, and strikes out all its entries.
  void recover();

  /// Strikes out the connection that a process of this daemon has served.
  void forget(pid_t pid);

 private:
  [[noreturn]] void throw_taken() const;

  std::string folder_;
  UniqueFd lock_;
};

/// The entry of the calling process, which serves one connection.
class JournalEntry {
 public:
  /// Writes it. Throws std::system_error.
  JournalEntry(std::string folder, uid_t uid);

  /// Enters a fabric of so many workers. Throws std::runtime_error with the numbers when the
  /// user would have more than the quota then; nobody has a quota over root.
  void claim(int workers, const Quota& quota);

 private:
  std::string shortage(int workers, const Quota& quota) const;
  void write() const;

  std::string folder_;
  netd::SessionEntry entry_;
};

}  // namespace pacbench::netem
