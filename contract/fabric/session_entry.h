#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json/json_reader.h"
#include "base/process_identity.h"

namespace pacbench::netd {

/// The default paths of a shared daemon's socket, and of the folder that holds its journal.
inline constexpr const char* kServiceSocket = "/run/pacbench/netd.sock";
inline constexpr const char* kServiceState = "/run/pacbench-netd";

/// One connection in a shared daemon's journal, identified by the process that serves it. That
/// process holds all that was made for the connection, so that all of it ends with the process.
struct SessionEntry {
  ProcessIdentity process;
  uid_t uid = 0;                 ///< of the caller
  int workers = 0;               ///< of the connection's fabric; 0: it has none yet
  std::int64_t queue_bytes = 0;  ///< of all queues of the fabric together, netem's too
};

Json to_json(const SessionEntry& entry);

struct SessionFile {
  std::string path;
  std::optional<SessionEntry> entry;  ///< nothing when the file holds no entry
};

std::string session_path(const std::string& state_folder, pid_t pid);

/// The whole journal; empty when there is none. Throws std::filesystem::filesystem_error when it
/// cannot be read.
std::vector<SessionFile> read_sessions(const std::string& state_folder);

}  // namespace pacbench::netd
