#include "harness/store/recorded_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <limits>
#include <system_error>

#include "base/files.h"
#include "base/sha256.h"
#include "base/text_file.h"

namespace pacbench::store {
namespace {

namespace fs = std::filesystem;

constexpr const char* kOutput = "worker.log";
constexpr std::array kNames{"events.jsonl", "iterations.jsonl", "curve.jsonl", "network.jsonl",
                            kOutput};
// Files with a line for each iteration and rank, or for each tenth of a second. The others are not
// compressed, so that people can read them, and git can compare curves.
constexpr std::array kMany{"iterations.jsonl", "network.jsonl"};
constexpr const char* kProbes = "../../probes.jsonl";  // of all cells of the run, and growing

std::string path_of(const std::string& folder, const std::string& name) {
  return fmt::format("{}/{}", folder, name);
}

/// Describes a file by its first `most` bytes.
RecordedFile recorded_file(const std::string& folder, const std::string& name,
                           std::int64_t most = std::numeric_limits<std::int64_t>::max()) {
  RecordedFile file;
  file.name = name;
  Sha256 sum;
  TextReader text{path_of(folder, name)};
  for (auto part = text.read(); !part.empty() && file.bytes < most; part = text.read()) {
    part = part.substr(0, static_cast<std::size_t>(most - file.bytes));
    sum.add(part);
    file.bytes += std::ssize(part);
    file.lines += std::count(part.begin(), part.end(), '\n');
  }
  file.sha256 = sum.digits();
  return file;
}

std::string words(const RecordedFile& file) {
  return fmt::format("{} lines in {} bytes with SHA-256 {}", file.lines, file.bytes, file.sha256);
}

/// Says what is wrong with a file; empty when nothing is.
std::string change_of(const std::string& folder, const RecordedFile& recorded) {
  if (!text_exists(path_of(folder, recorded.name))) {
    return fmt::format("found no such file, expected {}", words(recorded));
  }
  const auto found = recorded.name == kProbes ? recorded_file(folder, recorded.name, recorded.bytes)
                                              : recorded_file(folder, recorded.name);
  if (found == recorded) return "";
  return fmt::format("found {}, expected {}: the file was changed after it was recorded",
                     words(found), words(recorded));
}

RecordedFile read_file_entry(ObjectReader reader) {
  RecordedFile file;
  file.name = reader.text("name");
  file.bytes = reader.integer("bytes", Range::at_least(0));
  file.lines = reader.integer("lines", Range::at_least(0));
  file.sha256 = reader.text("sha256");
  reader.finish();
  return file;
}

}  // namespace

Json to_json(const std::vector<RecordedFile>& files) {
  auto all = Json::array();
  for (const auto& file : files) {
    all.push_back({{"name", file.name},
                   {"bytes", file.bytes},
                   {"lines", file.lines},
                   {"sha256", file.sha256}});
  }
  return all;
}

std::vector<RecordedFile> recorded_files_from_json(const std::string& source, const Json& files) {
  const Json document{{"files", files}};
  std::vector<Issue> issues;
  ObjectReader reader{document, "", issues};
  std::vector<RecordedFile> all;
  for (auto& entry : reader.objects("files")) all.push_back(read_file_entry(entry));
  if (!issues.empty()) throw ConfigError{source, issues};
  return all;
}

std::vector<RecordedFile> recorded_files(const std::string& cell_folder) {
  std::vector<RecordedFile> files;
  const auto add = [&](const char* name) {
    if (text_exists(path_of(cell_folder, name))) files.push_back(recorded_file(cell_folder, name));
  };
  for (const char* name : kNames) add(name);
  add(kProbes);
  return files;
}

std::vector<RecordedFile> needed_to_go_on(const std::string& cell_folder,
                                          std::vector<RecordedFile> recorded) {
  std::erase_if(recorded, [&](const RecordedFile& file) {
    const bool is_many = std::find(kMany.begin(), kMany.end(), file.name) != kMany.end();
    return (is_many || file.name == kOutput) && !text_exists(path_of(cell_folder, file.name));
  });
  return recorded;
}

std::vector<Issue> changed_files(const std::string& cell_folder,
                                 const std::vector<RecordedFile>& recorded) {
  std::vector<Issue> issues;
  const auto complain = [&](const std::string& name, const std::string& message) {
    issues.push_back({fs::path{path_of(cell_folder, name)}.lexically_normal().string(), message});
  };
  for (const auto& file : recorded) {
    try {
      if (const auto change = change_of(cell_folder, file); !change.empty()) {
        complain(file.name, change);
      }
    } catch (const std::exception& error) {
      complain(file.name, error.what());
    }
  }
  for (const char* name : kNames) {
    const bool known = std::any_of(recorded.begin(), recorded.end(),
                                   [&](const auto& file) { return file.name == name; });
    if (!known && text_exists(path_of(cell_folder, name))) {
      complain(name, "found a file, expected none: it was added after the cell had ended");
    }
  }
  return issues;
}

void sync_recorded(const std::string& cell_folder) {
  for (const char* name : kNames) {
    const auto path = path_of(cell_folder, name);
    if (fs::exists(path)) sync_path(path);
  }
  if (const auto probes = path_of(cell_folder, kProbes); fs::exists(probes)) sync_path(probes);
  sync_path(cell_folder);
}

void compress_lines(const std::string& cell_folder) {
  for (const char* name : kMany) {
    const auto path = path_of(cell_folder, name);
    if (!fs::exists(path)) continue;
    try {
      compress_text(path);
    } catch (const std::system_error&) {
      fs::remove(path + kCompressed);  // an older copy, of other lines, if any
    }
  }
}

std::vector<std::string> remove_compressed_lines(const std::string& cell_folder) {
  std::vector<std::string> removed;
  for (const char* name : kMany) {
    const auto path = path_of(cell_folder, name);
    if (fs::exists(path + kCompressed) && fs::remove(path)) removed.emplace_back(name);
  }
  return removed;
}

void remove_copies(const std::string& cell_folder) {
  for (const char* name : kMany) {
    const auto path = path_of(cell_folder, name);
    if (fs::exists(path)) fs::remove(path + kCompressed);
  }
}

}  // namespace pacbench::store
