#include "harness/verify/recount.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <utility>

#include "base/text_file.h"
#include "harness/record/cell_result.h"
#include "harness/record/composed_clock.h"
#include "harness/record/record.h"
#include "harness/statistics/spread.h"
#include "harness/store/cell_file.h"
#include "harness/store/files.h"
#include "harness/store/manifest.h"
#include "harness/store/run_folder.h"
#include "harness/text/difference.h"

namespace pacbench::verify {
namespace {

struct CountedCell {
  plan::Cell cell;
  Json before;  ///< its numbers as cell.json has them
  Recomputed now;
};

[[noreturn]] void refuse(const std::string& path, const std::string& expected) {
  throw ConfigError{path, "",
                    fmt::format("missing: {}; without all that was recorded of the run, its "
                                "numbers cannot be counted anew",
                                expected)};
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

/// The curves of the done cells of all-reduce, without empty ones: modes compose and simulate may
/// run without a curve.
std::vector<Curve> curves_of_all_reduce(const store::RecordedRun& run, const RunResult& result) {
  std::vector<Curve> curves;
  for (const auto& cell : plan::plan(run.scenario)) {
    if (cell.method.choice.name != "all-reduce") continue;
    const bool done =
        std::any_of(result.cells.begin(), result.cells.end(), [&](const CellResult& known) {
          return known.status == CellStatus::kDone && known.label == cell.method.label &&
                 known.link == cell.link.name && known.seed == cell.seed;
        });
    if (!done) continue;
    if (auto curve = store::read_curve(run.cell_folder(cell)); !curve.empty()) {
      curves.push_back(std::move(curve));
    }
  }
  return curves;
}

const EvaluationEvent& last_until(const Curve& curve, double iteration) {
  const auto after = std::find_if(curve.begin(), curve.end(), [&](const auto& evaluation) {
    return static_cast<double>(evaluation.iteration) > iteration;
  });
  return after == curve.begin() ? curve.front() : *std::prev(after);
}

/// The sort key of a target: accuracies, then losses, the hardest of each last.
std::pair<bool, double> place_when_read(const Target& target) {
  const bool of_loss = target.metric == kLoss;
  return {of_loss, of_loss ? -target.value : target.value};
}

template <typename Value>
double median_over(const std::vector<Curve>& curves, Value value) {
  std::vector<double> values;
  for (const auto& curve : curves) values.push_back(value(curve));
  return statistics::median(values);
}

}  // namespace

bool has_ended(const store::RecordedRun& run, const plan::Cell& cell) {
  bool has_end = false;
  store::for_each_event(run.cell_folder(cell) + "/events.jsonl", store::Broken::kRefuse,
                        [&](const Json& event, const std::string&, std::size_t) {
                          has_end = kind_of(event) == EventKind::kEnded;
                        });
  return has_end;
}

Recomputed recompute(const store::RecordedRun& run, const plan::Cell& cell,
                     const record::ProbeBook& probes) {
  auto record = record::read_record(run.cell_folder(cell), {run.scenario, cell});
  record.set_probes(probes.of(cell.folder_name()));
  std::optional<std::vector<EvaluationEvent>> curve;
  if (run.scenario.compose && record.training() && !record.curve().empty()) {
    curve = record::timed(record.curve(), run.scenario, record);
    record.set_curve(*curve);
  }
  return {record::summarise(run.scenario, cell, record), std::move(curve)};
}

Recount recount(const store::RecordedRun& run) {
  const auto folder = store::RunFolder::open(run.folder);
  const auto cells = counted_anew(run);
  // Only the recorded lines of the cells are checked, since all their numbers are written anew.
  folder.require_unchanged(plan::plan(run.scenario), store::changed_lines);
  auto manifest = store::read_manifest(run.folder);
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

std::vector<Target> targets_of_shares(const Scenario& scenario, const std::vector<Curve>& curves) {
  std::vector<Target> targets;
  if (curves.empty()) return targets;
  const double final =
      median_over(curves, [](const Curve& curve) { return curve.back().accuracy.value(); });
  for (const double share : scenario.target_shares) targets.push_back({kAccuracy, share * final});
  // The factor makes up for rounding: 0.29 × 100 is a little less than 29.
  const double iterations = static_cast<double>(scenario.workload.max_iterations) * (1 + 1e-12);
  for (const double share : scenario.loss_shares) {
    targets.push_back({kLoss, median_over(curves, [&](const Curve& curve) {
                         return last_until(curve, share * iterations).loss;
                       })});
  }
  return targets;
}

RunResult with_targets_of_shares(const std::string& folder, const Catalogue& catalogue,
                                 RunResult result) {
  auto run = store::open_run(folder, catalogue);
  auto targets = targets_of_shares(run.scenario, curves_of_all_reduce(run, result));
  if (targets.empty()) return result;
  for (const auto& target : run.scenario.targets) {
    const auto& shares =
        target.metric == kLoss ? run.scenario.loss_shares : run.scenario.target_shares;
    if (shares.empty()) targets.push_back(target);
  }
  std::ranges::sort(targets, {}, place_when_read);
  run.scenario.targets = std::move(targets);
  {
    const auto opened = store::RunFolder::open(folder);
    auto manifest = store::read_manifest(folder);
    manifest.scenario = to_json(run.scenario);
    opened.write_manifest(manifest);
  }
  recount(run);
  return run_result_from_json(run.path("result.json"), read_json_file(run.path("result.json")));
}

}  // namespace pacbench::verify
