#include "harness/cell/log.h"

#include "harness/process.h"

namespace pacbench::cell {

std::string CellLog::add(const Json& event, const std::string& line) {
  auto kind = record_.add(event);
  recorder_.event(kind, line);
  return kind;
}

void CellLog::add(const Json& event) { add(event, json_text(event)); }

void conclude(CellLog& log, const std::function<void()>& work) {
  constexpr std::size_t kLinesKept = 5;
  CellRecord::End end{"done", ""};
  try {
    work();
  } catch (const CellEnded& early) {
    end = {early.status, early.reason};
  } catch (const run::RecordingFailed&) {
    throw;
  } catch (const std::exception& error) {
    end = {"failed", last_lines(error.what(), kLinesKept)};
  }
  log.add(CellRecord::ended_event(end));
}

}  // namespace pacbench::cell
