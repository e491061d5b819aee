#include "harness/verify/recount.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "base/text_file.h"
#include "harness/store/cell_file.h"
#include "harness/store/manifest.h"
#include "harness/store/run_folder.h"
#include "harness/text/difference.h"
#include "harness/verify/recompute.h"

namespace pacbench::verify {
namespace {

struct CountedCell {
  plan::Cell cell;
  Json before;  ///< its numbers as cell.json has them
  Recomputed now;
};

[[noreturn]] void refuse(const std::string& path, const std::string& expected) {
  throw ConfigError{path,
                    {{"", fmt::format("missing: {}; without all that was recorded of the run, its "
                                      "numbers cannot be counted anew",
                                      expected)}}};
}

/// Throws unless all lines are there that numbers come from: absent lines would count as none.
void require_lines(const store::RecordedRun& run, const plan::Cell& cell,
                   const record::ProbeBook& probes, const Json& before) {
  std::vector<std::string> files{"iterations.jsonl", "curve.jsonl", "events.jsonl"};
  // A cell that ended before its training began has no network.jsonl.
  const bool done = before.value("status", Json{}) == Json(CellStatus::kDone);
  if (done && (cell.link.schedule.any() || !cell.link.loads.empty())) {
    files.emplace_back("network.jsonl");
  }
  for (const auto& name : files) {
    const auto path = run.cell_folder(cell) + "/" + name;
    if (!text_exists(path)) refuse(path, "the cell's raw lines");
  }
  if (!before.value("link_probe", Json{}).is_null() && probes.of(cell.folder_name()).empty()) {
    refuse(run.path("probes.jsonl"), "the probes of " + cell.folder_name());
  }
}

/// Rewrites a composed curve, whose times are no raw data: they follow from the iterations.
void write_curve(const std::string& path, const std::vector<EvaluationEvent>& curve) {
  std::string lines;
  for (const auto& evaluation : curve) lines += json_text(to_json(evaluation)) + "\n";
  write_file_atomically(path, lines);
}

std::string cell_file(const store::RecordedRun& run, const plan::Cell& cell) {
  return run.cell_folder(cell) + "/cell.json";
}

/// Throws unless every cell of result.json has its own cell.json, from which result.json is
/// written.
void require_cells(const store::RecordedRun& run) {
  const auto planned = plan::plan(run.scenario);
  const auto count = run.result.at("cells").size();
  const auto kept = std::count_if(planned.begin(), planned.end(), [&](const plan::Cell& cell) {
    return std::filesystem::exists(cell_file(run, cell));
  });
  if (static_cast<std::size_t>(kept) >= count) return;
  refuse(run.path("cells"),
         fmt::format("cell.json of {} of the {} cells in result.json", count - kept, count));
}

std::vector<CountedCell> counted_anew(const store::RecordedRun& run) {
  require_cells(run);
  const record::ProbeBook probes{run.folder, store::Broken::kRefuse};
  std::vector<CountedCell> all;
  for (const auto& cell : plan::plan(run.scenario)) {
    const auto path = cell_file(run, cell);
    if (!std::filesystem::exists(path)) continue;
    auto before = to_json(cell_result_from_json(path, store::numbers_in(read_json_file(path))));
    require_lines(run, cell, probes, before);
    if (!has_ended(run, cell)) continue;
    all.push_back({cell, std::move(before), recompute(run, cell, probes)});
  }
  return all;
}

}  // namespace

Recount recount(const store::RecordedRun& run) {
  const auto folder = store::RunFolder::open(run.folder);
  const auto cells = counted_anew(run);
  // Only the recorded lines of the cells are checked, since all their numbers are written anew.
  folder.require_unchanged(plan::plan(run.scenario), store::changed_lines);
  auto manifest = folder.manifest();
  store::add_continuation(manifest);
  folder.write_manifest(manifest);
  Recount done{cells.size(), {}};
  for (const auto& [cell, before, now] : cells) {
    if (const auto difference = first_difference(before, to_json(now.result))) {
      done.changed.push_back(fmt::format("{}: {}: was {}, is {}", cell.folder_name(),
                                         difference->pointer, difference->found,
                                         difference->expected));
    }
    if (now.curve) write_curve(run.cell_folder(cell) + "/curve.jsonl", *now.curve);
    folder.finish(cell, now.result);
  }
  folder.write_result(run.scenario);
  return done;
}

}  // namespace pacbench::verify
