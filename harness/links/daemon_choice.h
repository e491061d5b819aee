#pragma once

#include <string>

#include "contract/fabric/daemon_connection.h"

namespace pacbench::links {

/// Returns the argument for daemon_at(): `program` for a private daemon, else the path of a shared
/// daemon's socket. `choice` is "private", such a path, or "auto". With "auto" root gets a private
/// daemon. Others get the shared daemon at its usual place if they may connect to it, else a
/// private one. Throws ConfigError when `choice` is neither word and no socket is at that path.
std::string choose_daemon(const std::string& choice, const std::string& program);

/// The daemon that several users share when its socket is at `path`, else a private daemon whose
/// program is there. A private daemon's log is in memory, and errors quote its end. Throws
/// std::system_error when there is no memory for the log.
netd::Daemon daemon_at(const std::string& path);

}  // namespace pacbench::links
