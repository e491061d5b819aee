#include "harness/store/cell_file.h"

#include <fmt/format.h>

#include "base/files.h"
#include "base/json/json_checksum.h"
#include "harness/store/resume.h"

namespace pacbench::store {
namespace {

constexpr const char* kFiles = "files";

/// Says what is wrong with the file's own checksum; nothing when the checksum is right, or when an
/// earlier pacbench wrote the file without one.
std::optional<Issue> issue_of(const Json& document) {
  const bool has_files = document.is_object() && document.contains(kFiles);
  if (has_files == has_checksum(document)) return checksum_issue(document);
  return Issue{fmt::format("/{}", has_files ? kChecksum : kFiles),
               fmt::format("missing beside /{}: this key was taken out after the file was written",
                           has_files ? kFiles : kChecksum)};
}

/// The files that cell.json lists; absent when an earlier pacbench wrote it.
std::optional<std::vector<RecordedFile>> files_of(const std::string& cell_folder) {
  const auto path = cell_folder + "/cell.json";
  const auto document = read_json_file(path);
  if (!document.is_object() || !document.contains(kFiles)) return std::nullopt;
  return recorded_files_from_json(path, document.at(kFiles));
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
  CellFile cell{cell_result_from_json(path, numbers_in(document)), std::nullopt};
  if (document.contains(kFiles)) cell.files = recorded_files_from_json(path, document.at(kFiles));
  return cell;
}

std::vector<Issue> changed_lines(const std::string& cell_folder) {
  const auto files = files_of(cell_folder);
  return files ? changed_files(cell_folder, *files) : std::vector<Issue>{};
}

std::vector<Issue> changed_cell(const std::string& cell_folder) {
  const auto path = cell_folder + "/cell.json";
  std::vector<Issue> issues;
  if (const auto files = files_of(cell_folder)) {
    issues = changed_files(cell_folder, needed_to_go_on(cell_folder, *files));
  }
  if (const auto issue = issue_of(read_json_file(path))) {
    issues.insert(issues.begin(), {fmt::format("{}: {}", path, issue->pointer), issue->message});
  }
  return issues;
}

void finish_cell(const std::string& cell_folder, const CellResult& result) {
  const bool is_done = result.status == CellStatus::kDone;
  sync_recorded(cell_folder);
  if (is_done) compress_lines(cell_folder);
  auto document = to_json(result);
  document[kFiles] = to_json(recorded_files(cell_folder));
  write_file_atomically(cell_folder + "/cell.json",
                        json_text(with_checksum(std::move(document)), 2) + "\n");
  if (is_done) tidy_done_cell(cell_folder);
}

std::vector<std::string> tidy_done_cell(const std::string& cell_folder) {
  auto removed = remove_compressed_lines(cell_folder);
  for (auto& name : remove_states(cell_folder)) removed.push_back(std::move(name));
  return removed;
}

}  // namespace pacbench::store
