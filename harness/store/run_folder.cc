#include "harness/store/run_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <sstream>
#include <system_error>

#include "base/json/json_checksum.h"
#include "harness/store/cell_file.h"
#include "harness/store/files.h"

namespace pacbench::store {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse_folder(const std::string& path, const std::string& message) {
  throw ConfigError{path, "", message};
}

void make_folder(const std::string& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error) throw std::system_error{error, "create folder " + path};
  sync_path(fs::path{path}.parent_path().string());
}

/// Calls `write`, and turns its error into RecordingFailed: this ends the run, not only the cell.
template <typename Write>
void record(const Write& write) {
  try {
    write();
  } catch (const std::system_error& error) {
    throw RecordingFailed{error.what()};
  }
}

}  // namespace

RunFolder::RunFolder(std::string path) : path_{std::move(path)} {
  lock_.reset(::open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!lock_) refuse_folder(path_, fmt::format("cannot be opened: {}", ::strerror(errno)));
  if (::access(path_.c_str(), W_OK | X_OK) != 0) {
    refuse_folder(path_, fmt::format("cannot be written: {}; give another folder with --out",
                                     ::strerror(errno)));
  }
  if (::flock(lock_.get(), LOCK_EX | LOCK_NB) != 0) {
    refuse_folder(path_, "another pacbench is running into this folder; wait for it or end it");
  }
}

RunFolder RunFolder::create(const std::string& path) {
  std::error_code error;
  if (fs::exists(path, error) && !fs::is_directory(path, error)) {
    refuse_folder(path, "is a file, expected a folder; give another one with --out");
  }
  if (fs::exists(path, error) && !fs::is_empty(path, error)) {
    refuse_folder(path,
                  "the folder exists and is not empty; give another one with --out, or go on with "
                  "the run in it by --resume");
  }
  fs::create_directories(path, error);
  if (error) {
    refuse_folder(
        path, fmt::format("cannot be made: {}; give another folder with --out", error.message()));
  }
  return RunFolder{path};
}

RunFolder RunFolder::open(const std::string& path) {
  if (!fs::exists(path + "/manifest.json")) {
    refuse_folder(path,
                  "holds no manifest.json, so there is no run to resume; leave --resume out to "
                  "start one");
  }
  return RunFolder{path};
}

void RunFolder::write_manifest(const Manifest& manifest) const {
  write_file_atomically(path_ + "/manifest.json",
                        json_text(with_checksum(to_json(manifest)), 2) + "\n");
}

std::string RunFolder::cell_folder(const plan::Cell& cell) const {
  return cell_folder_of(path_, cell.folder_name());
}

std::optional<CellResult> RunFolder::recorded(const plan::Cell& cell) const {
  const auto path = cell_folder(cell) + "/cell.json";
  if (!fs::exists(path)) return std::nullopt;
  return read_cell_file(path).result;
}

void RunFolder::require_unchanged(const std::vector<plan::Cell>& cells,
                                  const Changes& changes) const {
  std::vector<Issue> issues;
  if (auto issue = checksum_issue(read_json_file(path_ + "/manifest.json"))) {
    issues.push_back({"manifest.json" + issue->pointer, issue->message});
  }
  for (const auto& cell : cells) {
    const auto folder = cell_folder(cell);
    if (!fs::exists(folder + "/cell.json")) continue;
    try {
      const auto changed = changes(folder);
      issues.insert(issues.end(), changed.begin(), changed.end());
    } catch (const ConfigError& error) {
      issues.push_back({"", error.what()});
    }
  }
  if (issues.empty()) return;
  issues.push_back(
      {"",
       "restore what was recorded; where only cells were changed, you may delete their folders "
       "instead, and pacbench run --resume runs them again"});
  throw ConfigError{path_, issues};
}

CellRecorder RunFolder::start(const plan::Cell& cell) const {
  const auto folder = cell_folder(cell);
  make_folder(path_ + "/cells");
  make_folder(folder);
  return CellRecorder{folder};
}

void RunFolder::finish(const plan::Cell& cell, const CellResult& result) const {
  finish_cell(cell_folder(cell), result);
}

RunResult RunFolder::write_result(const Scenario& scenario) const {
  RunResult result{scenario.mode, to_json(scenario), comparison_hash(scenario), {}};
  for (const auto& cell : plan::plan(scenario)) {
    if (auto recorded_cell = recorded(cell)) result.cells.push_back(std::move(*recorded_cell));
  }
  write_file_atomically(path_ + "/result.json",
                        json_text(with_checksum(to_json(result)), 2) + "\n");
  return result;
}

CellRecorder::CellRecorder(std::string folder)
    : folder_{std::move(folder)},
      iterations_{folder_ + "/iterations.jsonl"},
      curve_{folder_ + "/curve.jsonl"},
      events_{folder_ + "/events.jsonl"},
      log_{folder_ + "/worker.log"} {}

void CellRecorder::event(EventKind kind, const std::string& line) {
  record([&] { file_of(kind).append(line); });
}

LineFile& CellRecorder::file_of(EventKind kind) {
  switch (kind) {
    case EventKind::kIteration:
    case EventKind::kStep:
      return iterations_;
    case EventKind::kEvaluation:
      return curve_;
    case EventKind::kScheduled:
    case EventKind::kStepped:
    case EventKind::kLoad:
      if (!network_) network_.emplace(folder_ + "/network.jsonl");
      return *network_;
    default:
      return events_;
  }
}

void CellRecorder::worker_log(const std::string& who, const std::string& text) {
  auto& logged_bytes = logged_bytes_[who];
  std::istringstream lines{text};
  for (std::string line; logged_bytes <= kLogBytes && std::getline(lines, line);) {
    logged_bytes += fmt::formatted_size("[{}] {}\n", who, line);
    if (logged_bytes > kLogBytes) {
      line = fmt::format("pacbench keeps only the first {} MB of this output", kLogBytes >> 20);
    }
    record([&] { log_.append(fmt::format("[{}] {}", who, line)); });
  }
}

}  // namespace pacbench::store
