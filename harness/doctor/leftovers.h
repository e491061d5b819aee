#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/unique_fd.h"
#include "contract/fabric/session_entry.h"

namespace pacbench::doctor {

/// The leftovers of a shared daemon that has ended, as far as they are provably its own. A private
/// daemon, and one that its init system stops, leave nothing.
class Leftovers {
 public:
  struct Item {
    std::string what;  ///< for a person: "the socket ..., at which nobody listens"
    std::optional<ProcessIdentity> process;  ///< to be ended
    std::string path;                        ///< to be removed
  };

  /// Looks at the daemon's journal, the folder `state_folder`, and at `socket`. Without a journal
  /// nothing is taken as left over. While this object lives, it holds the journal's lock, so that
  /// no shared daemon starts with this journal. Throws std::system_error when it may not look.
  Leftovers(const std::string& state_folder, const std::string& socket);

  /// Whether a daemon runs, so that everything is in use and nothing is left over.
  bool in_use() const { return in_use_; }
  const std::vector<Item>& items() const { return items_; }

  /// Throws std::system_error when a system call fails, whatever the reason, and
  /// std::runtime_error when the process does not end.
  static void remove(const Item& item);

 private:
  void look_at_entry(const netd::SessionFile& file);
  void look_at_socket(const std::string& path, uid_t owner);

  UniqueFd lock_;
  bool in_use_ = false;
  std::vector<Item> items_;
};

}  // namespace pacbench::doctor
