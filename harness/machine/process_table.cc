#include "harness/machine/process_table.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>

namespace pacbench {
namespace {

std::optional<ProcessEntry> read_entry(const std::filesystem::path& folder) {
  std::ifstream file{folder / "status"};
  if (!file) return std::nullopt;
  ProcessEntry entry;
  entry.pid = std::atoi(folder.filename().c_str());
  for (std::string line; std::getline(file, line);) {
    std::istringstream words{line};
    std::string key;
    words >> key;
    if (key == "Name:") words >> entry.name;
    if (key == "State:") words >> entry.state;
    if (key == "PPid:") words >> entry.parent;
    if (key == "NSpid:") {
      while (words >> entry.innermost_pid) continue;
    }
  }
  return entry;
}

bool descends_from(const std::map<int, ProcessEntry>& table, int pid, int ancestor) {
  while (pid > 1 && pid != ancestor) {
    const auto entry = table.find(pid);
    pid = entry == table.end() ? 0 : entry->second.parent;
  }
  return pid == ancestor;
}

}  // namespace

std::vector<ProcessEntry> read_process_table() {
  std::vector<ProcessEntry> table;
  std::error_code ignored;
  for (const auto& folder : std::filesystem::directory_iterator{"/proc", ignored}) {
    const auto name = folder.path().filename().string();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    if (auto entry = read_entry(folder.path())) table.push_back(std::move(*entry));
  }
  return table;
}

bool is_stopped(int ancestor, int pid) {
  std::map<int, ProcessEntry> table;
  for (auto& entry : read_process_table()) table[entry.pid] = std::move(entry);
  return std::any_of(table.begin(), table.end(), [&](const auto& item) {
    const auto& entry = item.second;
    return (entry.pid == pid || entry.innermost_pid == pid) &&
           (entry.state == 'T' || entry.state == 't') && descends_from(table, entry.pid, ancestor);
  });
}

}  // namespace pacbench
