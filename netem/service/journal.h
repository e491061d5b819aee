#pragma once

#include <cstdint>
#include <string>

#include "base/unique_fd.h"
#include "contract/fabric/fabric_spec.h"
#include "contract/fabric/session_entry.h"

namespace pacbench::netem {

/// The limits of a shared daemon for each user, and for the number of users.
struct Quota {
  int fabrics = 8;
  int workers = 256;
  double hours = 48;             ///< that one connection may last
  std::int64_t queue_mb = 4096;  ///< in front of all links of the user's fabrics
  /// Network namespaces that the user may make in an hour on average: one for each worker, and one
  /// for the switches of each fabric. After an hour without any, the user may make that many at
  /// once. A program can keep a namespace alive beyond its session, so counting sessions is not
  /// enough.
  int namespaces_per_hour = 20'000;
  int users = 0;  ///< that have a fabric at the same time, this user included; 0: any number
};

/// The sessions of a shared daemon, as files that outlive it.
class Journal {
 public:
  /// Makes the folder when there is none, for this user alone. Throws std::runtime_error when
  /// another daemon still keeps its journal there after a wait of two seconds. Throws it too when
  /// the folder belongs to another user or others may write to it.
  explicit Journal(std::string folder);

  /// Ends the processes that an earlier daemon left, and removes the entries of those that ended.
  void recover();

  /// Removes the entry of the connection that the process `pid` of this daemon has served.
  void forget(pid_t pid);

 private:
  std::string folder_;
  UniqueFd lock_;
};

/// The entry of the calling process, which serves one connection.
class JournalEntry {
 public:
  /// Writes the entry. Throws std::system_error.
  JournalEntry(std::string folder, uid_t uid);

  /// Adds a fabric to the entry. Throws std::runtime_error with the numbers when the user would
  /// exceed the quota even after a wait of two seconds, or may not make as many new namespaces.
  /// Root has no quota.
  void claim(const netd::CreateRequest& request, const Quota& quota);

 private:
  std::string try_claim(const netd::SessionEntry& wanted, const Quota& quota);
  std::string shortage(const netd::SessionEntry& wanted, const Quota& quota) const;
  void write() const;

  std::string folder_;
  netd::SessionEntry entry_;
};

}  // namespace pacbench::netem
