#include "analysis/evidence/archive.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <stdexcept>

#include "base/errors.h"
#include "base/subprocess.h"

namespace pacbench::evidence {
namespace {

constexpr std::int64_t kMostBytes = 1'000'000'000;

std::string danger_of_name(const std::string& name, const std::string& folder) {
  const std::filesystem::path path{name};
  if (path.is_absolute() || *path.begin() != folder) {
    return fmt::format("\"{}\" in it is not below {}/", name, folder);
  }
  if (std::find(path.begin(), path.end(), "..") != path.end()) {
    return fmt::format("\"{}\" in it leads out of its folder", name);
  }
  return {};
}

[[noreturn]] void refuse(const std::string& archive, const std::string& reason) {
  throw ConfigError{archive,
                    {{"", reason + "; expected an archive as tools/gpu-evidence packed it"}}};
}

}  // namespace

std::vector<Entry> entries_of(const std::string& listing) {
  std::vector<Entry> entries;
  std::istringstream lines{listing};
  for (std::string line; std::getline(lines, line);) {
    Entry entry;
    std::string mode;
    std::string skipped;
    std::istringstream words{line};
    words >> mode >> skipped >> entry.bytes >> skipped >> skipped >> entry.name;
    if (!words || (words >> skipped)) throw std::invalid_argument{line};
    entry.kind = mode.front();
    entries.push_back(entry);
  }
  return entries;
}

std::string danger_of(const std::vector<Entry>& entries, const std::string& folder) {
  std::int64_t bytes = 0;
  for (const auto& entry : entries) {
    if (entry.kind != '-' && entry.kind != 'd') {
      return fmt::format("\"{}\" in it is neither a file nor a folder", entry.name);
    }
    auto danger = danger_of_name(entry.name, folder);
    if (!danger.empty()) return danger;
    if (entry.bytes > kMostBytes - bytes) return "there is more than 1 GB in it";
    bytes += entry.bytes;
  }
  return entries.empty() ? "there is nothing in it" : "";
}

void unpack(const std::string& archive, const std::string& folder, const std::string& into) {
  const auto file = std::filesystem::absolute(archive).string();
  const std::vector<std::string> common{"tar", "--gzip", "--force-local", "--file", file};
  auto list = common;
  list.insert(list.end(), {"--list", "--verbose", "--full-time", "--quoting-style=escape"});
  const auto listed = run_command(list);
  if (!listed.status.ok()) refuse(archive, "tar cannot read it as .tar.gz: " + listed.err);
  std::string danger;
  try {
    danger = danger_of(entries_of(listed.out), folder);
  } catch (const std::invalid_argument& line) {
    danger = fmt::format("tar lists \"{}\", expected a line with one name", line.what());
  }
  if (!danger.empty()) refuse(archive, danger);
  auto extract = common;
  extract.insert(extract.end(),
                 {"--extract", "--no-same-owner", "--no-same-permissions", "--directory", into});
  run_checked(extract);
}

}  // namespace pacbench::evidence
