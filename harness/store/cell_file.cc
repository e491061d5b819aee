#include "harness/store/cell_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <limits>
#include <system_error>

#include "base/files.h"
#include "base/json/json_checksum.h"
#include "base/json/read_keys.h"
#include "base/sha256.h"
#include "base/text_file.h"
#include "harness/store/resume.h"

namespace pacbench {

template <>
struct JsonFields<store::RecordedFile> {
  using Type = store::RecordedFile;
  static constexpr std::tuple kAll{
      required("name", &Type::name), required("bytes", &Type::bytes, Range::at_least(0)),
      required("lines", &Type::lines, Range::at_least(0)), required("sha256", &Type::sha256)};
};

}  // namespace pacbench

namespace pacbench::store {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFiles = "files";  // the key of cell.json
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

/// The files that the document of cell.json at `path` lists; absent when an earlier pacbench wrote
/// it. Throws ConfigError naming the path when what it has is no list of recorded files.
std::optional<std::vector<RecordedFile>> files_in(const std::string& path, const Json& document) {
  if (!document.is_object() || !document.contains(kFiles)) return std::nullopt;
  std::vector<Issue> issues;
  ObjectReader reader{document, "", issues};
  std::vector<RecordedFile> all;
  for (auto& entry : reader.objects(kFiles)) all.push_back(read_object<RecordedFile>(entry));
  if (!issues.empty()) throw ConfigError{path, issues};
  return all;
}

/// The recorded files of a cell: its .jsonl files, its worker.log, and its run's probes.jsonl.
/// Throws as TextReader does.
std::vector<RecordedFile> recorded_files(const std::string& cell_folder) {
  std::vector<RecordedFile> files;
  const auto add = [&](const char* name) {
    if (text_exists(path_of(cell_folder, name))) files.push_back(recorded_file(cell_folder, name));
  };
  for (const char* name : kNames) add(name);
  add(kProbes);
  return files;
}

/// Returns `recorded` without the missing files that no continuation needs: those with a line for
/// each iteration and rank or each tenth of a second, and outputs. A repository may have no room
/// for such files.
std::vector<RecordedFile> needed_to_go_on(const std::string& cell_folder,
                                          std::vector<RecordedFile> recorded) {
  std::erase_if(recorded, [&](const RecordedFile& file) {
    const bool is_many = std::ranges::find(kMany, file.name) != kMany.end();
    return (is_many || file.name == kOutput) && !text_exists(path_of(cell_folder, file.name));
  });
  return recorded;
}

/// Lists the files that are no longer as they were recorded or were added later, each with what was
/// found and expected. Lines that the run added to probes.jsonl since are no change.
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
    const bool known = std::ranges::find(recorded, name, &RecordedFile::name) != recorded.end();
    if (!known && text_exists(path_of(cell_folder, name))) {
      complain(name, "found a file, expected none: it was added after the cell had ended");
    }
  }
  return issues;
}

/// Waits until all that was recorded of a cell is on the disk. Throws std::system_error.
void sync_recorded(const std::string& cell_folder) {
  for (const char* name : kNames) {
    const auto path = path_of(cell_folder, name);
    if (fs::exists(path)) sync_path(path);
  }
  if (const auto probes = path_of(cell_folder, kProbes); fs::exists(probes)) sync_path(probes);
  sync_path(cell_folder);
}

/// Says what is wrong with the file's own checksum; nothing when the checksum is right, or when an
/// earlier pacbench wrote the file without one.
std::optional<Issue> issue_of(const Json& document) {
  const bool has_files = document.is_object() && document.contains(kFiles);
  if (has_files == has_checksum(document)) return checksum_issue(document);
  return Issue{fmt::format("/{}", has_files ? kChecksum : kFiles),
               fmt::format("missing beside /{}: this key was taken out after the file was written",
                           has_files ? kFiles : kChecksum)};
}

}  // namespace

Json numbers_in(Json document) {
  if (!document.is_object()) return document;
  document.erase(kFiles);
  document.erase(kChecksum);
  return document;
}

CellFile read_cell_file(const std::string& path) {
  const auto document = read_json_file(path);
  if (const auto issue = issue_of(document)) throw ConfigError{path, {*issue}};
  return {cell_result_from_json(path, numbers_in(document)), files_in(path, document)};
}

std::vector<Issue> changed_lines(const std::string& cell_folder) {
  const auto path = cell_folder + "/cell.json";
  const auto files = files_in(path, read_json_file(path));
  return files ? changed_files(cell_folder, *files) : std::vector<Issue>{};
}

std::vector<Issue> changed_cell(const std::string& cell_folder) {
  const auto path = cell_folder + "/cell.json";
  const auto document = read_json_file(path);
  std::vector<Issue> issues;
  if (const auto files = files_in(path, document)) {
    issues = changed_files(cell_folder, needed_to_go_on(cell_folder, *files));
  }
  if (const auto issue = issue_of(document)) {
    issues.insert(issues.begin(), {fmt::format("{}: {}", path, issue->pointer), issue->message});
  }
  return issues;
}

void finish_cell(const std::string& cell_folder, const CellResult& result) {
  const bool is_done = result.status == CellStatus::kDone;
  sync_recorded(cell_folder);
  if (is_done) compress_lines(cell_folder);
  auto document = to_json(result);
  document[kFiles] = recorded_files(cell_folder);
  write_file_atomically(cell_folder + "/cell.json",
                        json_text(with_checksum(std::move(document)), 2) + "\n");
  if (is_done) tidy_done_cell(cell_folder);
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

std::vector<std::string> tidy_done_cell(const std::string& cell_folder) {
  auto removed = remove_compressed_lines(cell_folder);
  for (auto& name : remove_states(cell_folder)) removed.push_back(std::move(name));
  return removed;
}

}  // namespace pacbench::store
