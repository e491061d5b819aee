#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "base/files.h"
#include "base/subprocess.h"
#include "tests/emulation/daemon_client.h"

namespace pacbench {

/// Numbers of users and of a group that no machine has. The kernel needs no entries for them.
inline constexpr uid_t kServiceUser = 64001;
inline constexpr gid_t kServiceGroup = 64002;
inline constexpr uid_t kAlice = 64100;
inline constexpr uid_t kBob = 64101;
inline constexpr uid_t kMallory = 64102;  ///< not in the group

/// While an object of this class lives, the process connects and opens files as `user`. The process
/// must have a single thread.
class As {
 public:
  As(uid_t user, const std::vector<gid_t>& groups);
  As(const As&) = delete;
  As& operator=(const As&) = delete;
  ~As();

 private:
  std::vector<gid_t> before_;
};

/// A shared daemon as its unit starts it: as a user of its own with the unit's capabilities and no
/// others. Its files are in a folder of the test's own.
class ServiceFixture {
 public:
  explicit ServiceFixture(std::vector<std::string> options = {});

  /// Starts the daemon again over the same folder and waits until it listens.
  void start();
  void kill();
  ExitStatus stop();

  int pid() const { return service_.pid(); }
  const std::string& socket_path() const { return socket_; }
  const std::string& state() const { return state_; }
  /// The path of the emulation probe, which every user can start.
  std::string probe() const { return folder_.path() + "/pacbench-emulation-probe"; }
  /// Files of the journal.
  std::vector<std::string> journal() const;
  /// Waits until the journal has no files, for as long as the removal of ended processes' entries
  /// may take. Returns whether it has none.
  bool journal_empties() const;

  /// Connects as a user with `groups` and a primary group, which has the user's number.
  DaemonClient connect(uid_t user, const std::vector<gid_t>& groups = {kServiceGroup}) const;
  /// Connects as a member of the group, and makes a fabric of two workers.
  DaemonClient fabric_of(uid_t user) const;
  /// Lets also those connect who are not in the group.
  void open_to_all() const;

 private:
  TemporaryFolder folder_;
  std::string socket_;
  std::string state_;
  std::vector<std::string> options_;
  ChildProcess service_;
};

/// Waits for at most 5 s until a process has gone; returns whether it has.
bool ends(pid_t pid);

/// A process of `user` that only sleeps and has nothing to do with the service.
ChildProcess sleeper_of(uid_t user);

/// The capabilities of pacbench-netd.service, from its file.
std::vector<std::string> capabilities_of_the_unit();

}  // namespace pacbench
