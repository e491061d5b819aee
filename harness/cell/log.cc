#include "harness/cell/log.h"

#include "harness/machine/process.h"

namespace pacbench::cell {

EventKind CellLog::add(const Json& event, const std::string& line) {
  const auto kind = record_.add(event);
  recorder_.event(kind, line);
  return kind;
}

void CellLog::add(const Json& event) { add(event, json_text(event)); }

void conclude(CellLog& log, const std::function<void()>& work) {
  constexpr std::size_t kLinesKept = 5;
  record::CellRecord::End end{CellStatus::kDone, ""};
  try {
    work();
  } catch (const Interrupted& interrupted) {
    end = {CellStatus::kInterrupted, interrupted.what()};
  } catch (const CellFailed& failed) {
    end = {CellStatus::kFailed, failed.what()};
  } catch (const store::RecordingFailed&) {
    throw;
  } catch (const std::exception& error) {
    end = {CellStatus::kFailed, last_lines(error.what(), kLinesKept)};
  }
  log.add(record::CellRecord::ended_event(end));
}

}  // namespace pacbench::cell
