#include "contract/fabric/session_entry.h"

#include <fmt/format.h>

#include <filesystem>

namespace pacbench::netd {
namespace {

namespace fs = std::filesystem;

std::optional<SessionEntry> read_entry(const std::string& path) {
  try {
    const auto document = read_json_file(path);
    return SessionEntry{{document.at("pid"), document.at("start_ticks")},
                        document.at("uid"),
                        document.at("workers"),
                        document.value("queue_bytes", std::int64_t{0})};
  } catch (const std::exception&) {
    return std::nullopt;  // gone meanwhile, or no entry
  }
}

}  // namespace

Json to_json(const SessionEntry& entry) {
  return {{"pid", entry.process.pid},
          {"start_ticks", entry.process.start_ticks},
          {"uid", entry.uid},
          {"workers", entry.workers},
          {"queue_bytes", entry.queue_bytes}};
}

std::string session_path(const std::string& state_folder, pid_t pid) {
  return fmt::format("{}/sessions/{}.json", state_folder, pid);
}

std::vector<SessionFile> read_sessions(const std::string& state_folder) {
  std::vector<SessionFile> files;
  const fs::path folder{state_folder + "/sessions"};
  if (!fs::exists(folder)) return files;
  for (const auto& file : fs::directory_iterator{folder}) {
    files.push_back({file.path().string(), read_entry(file.path().string())});
  }
  return files;
}

}  // namespace pacbench::netd
