#pragma once

#include <optional>
#include <string>
#include <vector>

#include "netem/service/journal.h"
#include "netem/service/user_groups.h"
#include "netem/session/credentials.h"

namespace pacbench::netem {

struct ServiceOptions {
  std::string listen;              ///< path of the socket; empty: it comes from systemd
  std::string group = "pacbench";  ///< name or number; its members are admitted
  std::string state = netd::kServiceState;
  Quota quota;
  GroupLimits limits;
  std::vector<std::string> uplinks;  ///< interfaces of the host that users' links may lead to
};

/// A connection that has been let in.
struct Admitted {
  UniqueFd connection;
  Caller caller;
  UniqueFd group;  ///< cgroup that the caller's workers join (UserGroups::open); none: the daemon's
};

/// Runs a daemon that several users share, with a child process of its own for each connection.
/// Returns in each child, with the connection to serve and nothing of the service open. Returns
/// nothing in the service's own process, after SIGTERM or SIGINT. Throws std::runtime_error when
/// the daemon lacks a capability that its children need.
std::optional<Admitted> next_connection(const ServiceOptions& options);

}  // namespace pacbench::netem
