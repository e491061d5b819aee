#include "harness/verify/recount.h"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "harness/difference.h"
#include "harness/run/manifest.h"
#include "harness/run/recorder.h"
#include "harness/verify/recompute.h"

namespace pacbench {
namespace {

void require_lines(const RecordedRun& run, const Cell& cell) {
  for (const char* name : {"iterations.jsonl", "events.jsonl"}) {
    const auto path = run.cell_folder(cell) + "/" + name;
    if (std::filesystem::exists(path)) continue;
    throw ConfigError{path,
                      {{"",
                        "nothing is there, expected the cell's raw lines: a run that was kept "
                        "without them stays as it was counted"}}};
  }
}

/// Every cell that has numbers and came to its end, counted anew.
std::vector<std::pair<Cell, CellResult>> counted_anew(const RecordedRun& run,
                                                      const RunFolder& folder) {
  const ProbeBook probes{run.folder, Broken::kRefuse};
  std::vector<std::pair<Cell, CellResult>> all;
  for (const auto& cell : plan(run.scenario)) {
    if (!folder.recorded(cell)) continue;
    require_lines(run, cell);
    if (has_ended(run, cell)) all.emplace_back(cell, recompute(run, cell, probes));
  }
  return all;
}

}  // namespace

Recount recount(const RecordedRun& run) {
  const auto folder = RunFolder::open(run.folder);
  const auto cells = counted_anew(run, folder);
  Recount done{cells.size(), {}};
  for (const auto& [cell, result] : cells) {
    const auto before = to_json(*folder.recorded(cell));
    if (const auto difference = first_difference(before, to_json(result))) {
      done.changed.push_back(fmt::format("{}: {}: was {}, is {}", cell.folder_name(),
                                         difference->pointer, difference->found,
                                         difference->expected));
    }
    folder.finish(cell, result);
  }
  folder.write_result(run.scenario);
  auto manifest = run.manifest;
  add_continuation(manifest);
  folder.write_manifest(manifest);
  return done;
}

}  // namespace pacbench
