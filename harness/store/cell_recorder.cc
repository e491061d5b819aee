#include "harness/store/cell_recorder.h"

#include <fmt/format.h>

#include <sstream>
#include <system_error>

namespace pacbench::store {
namespace {

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
