#include "harness/report.h"

#include <algorithm>
#include <map>
#include <set>

#include "harness/report_notes.h"

namespace pacbench {
namespace {

using Cells = std::vector<const CellResult*>;

bool is_done(const CellResult& cell) { return cell.status == "done"; }
bool is_failed(const CellResult& cell) { return cell.status == "failed"; }

std::optional<Spread> spread_of(const Cells& cells, double CellResult::*member) {
  std::vector<double> values;
  for (const auto* cell : cells) {
    if (is_done(*cell)) values.push_back(cell->*member);
  }
  return values.empty() ? std::nullopt : std::optional{spread(values)};
}

const TargetResult* find_target(const CellResult& cell, double accuracy) {
  const auto found =
      std::find_if(cell.targets.begin(), cell.targets.end(),
                   [&](const TargetResult& target) { return target.accuracy == accuracy; });
  return found == cell.targets.end() ? nullptr : &*found;
}

TargetSummary summarise_target(const Cells& cells, double accuracy) {
  std::vector<std::optional<double>> times;
  std::vector<std::optional<double>> iterations;
  for (const auto* cell : cells) {
    const auto* target = find_target(*cell, accuracy);
    // A run that diverged must not look better than one that only was slow: it counts as DNF.
    if (is_failed(*cell)) {
      times.emplace_back();
      iterations.emplace_back();
    } else if (is_done(*cell) && target != nullptr) {
      times.push_back(target->tta_s);
      iterations.emplace_back();
      if (target->iterations) iterations.back() = static_cast<double>(*target->iterations);
    }
  }
  return {accuracy, censored_spread(times), censored_spread(iterations), {}, {}};
}

void fill_costs(ReportRow& row, const Cells& cells) {
  row.time_per_iteration_s = spread_of(cells, &CellResult::time_per_iteration_s);
  row.samples_per_s = spread_of(cells, &CellResult::samples_per_s);
  row.compute_s = spread_of(cells, &CellResult::compute_s);
  row.exposed_s = spread_of(cells, &CellResult::exposed_s);
  row.final_accuracy = spread_of(cells, &CellResult::final_accuracy);
  row.best_accuracy = spread_of(cells, &CellResult::best_accuracy);
  row.measured_bytes_per_iteration = spread_of(cells, &CellResult::measured_bytes_per_iteration);
  row.expected_bytes_per_iteration = spread_of(cells, &CellResult::expected_bytes_per_iteration);
  row.payload_bytes_per_iteration = spread_of(cells, &CellResult::payload_bytes_per_iteration);
  row.pruning_s = spread_of(cells, &CellResult::pruning_s);
  row.kept_fraction = spread_of(cells, &CellResult::kept_fraction);
}

ReportRow build_row(const Json& method, const Cells& cells, const std::vector<double>& targets) {
  ReportRow row;
  row.label = method.at("label");
  row.method = method.at("name");
  for (const auto* cell : cells) {
    row.seeds.push_back(cell->seed);
    ++(is_done(*cell) ? row.done : is_failed(*cell) ? row.failed : row.unfinished);
    row.suspect |= cell->link_verdict.word != "ok";
    row.cpu_bound |= cell->host_verdict.word != "ok";
    row.stopped_at_target |= cell->stopped_at_target;
  }
  std::sort(row.seeds.begin(), row.seeds.end());
  for (const double accuracy : targets) row.targets.push_back(summarise_target(cells, accuracy));
  fill_costs(row, cells);
  row.notes = row_notes(cells);
  return row;
}

/// Two rows may be held against each other when both are whole, over the same seeds, and ran on
/// the links that were declared.
bool comparable(const ReportRow& one, const ReportRow& other) {
  const auto whole = [](const ReportRow& row) {
    return row.done > 0 && row.failed == 0 && row.unfinished == 0 && !row.suspect;
  };
  return whole(one) && whole(other) && one.seeds == other.seeds;
}

void fill_speed_ups(std::vector<ReportRow>& rows, const std::string& baseline,
                    std::optional<double> TargetSummary::*member) {
  const auto found = std::find_if(rows.begin(), rows.end(),
                                  [&](const ReportRow& row) { return row.method == baseline; });
  if (found == rows.end()) return;
  for (auto& row : rows) {
    if (!comparable(*found, row)) continue;
    for (std::size_t i = 0; i < row.targets.size(); ++i) {
      row.targets[i].*member =
          speed_up(found->targets[i].tta_s.median, row.targets[i].tta_s.median);
    }
  }
}

LinkReport build_link(const RunResult& result, const Json& link,
                      const std::vector<double>& targets) {
  LinkReport report;
  report.link = link.at("name");
  report.rate_mbit = link.at("rate_mbit");
  for (const auto& method : result.scenario.at("methods")) {
    Cells cells;
    for (const auto& cell : result.cells) {
      if (cell.link == report.link && cell.label == method.at("label")) cells.push_back(&cell);
    }
    if (!cells.empty()) report.rows.push_back(build_row(method, cells, targets));
  }
  fill_speed_ups(report.rows, "all-reduce", &TargetSummary::speed_up_all_reduce);
  fill_speed_ups(report.rows, "fp16", &TargetSummary::speed_up_fp16);
  return report;
}

std::vector<std::int64_t> seeds_of(const RunResult& result) {
  std::set<std::int64_t> seeds;
  for (const auto& cell : result.cells) seeds.insert(cell.seed);
  return {seeds.begin(), seeds.end()};
}

/// Seeds share one pre-training each, whatever the method: count it once.
std::optional<Spread> pretraining_of(const RunResult& result) {
  std::map<std::int64_t, double> of_seed;
  for (const auto& cell : result.cells) {
    if (cell.pretrain_s > 0) of_seed[cell.seed] = cell.pretrain_s;
  }
  std::vector<double> times;
  for (const auto& [seed, time_s] : of_seed) times.push_back(time_s);
  return times.empty() ? std::nullopt : std::optional{spread(times)};
}

}  // namespace

Report build_report(const RunResult& result) {
  Report report;
  report.name = result.scenario.at("name");
  report.mode = result.mode;
  report.comparison_hash = result.comparison_hash;
  report.scenario = result.scenario;
  report.seeds = seeds_of(result);
  const auto targets = result.scenario.at("targets").at("accuracy").get<std::vector<double>>();
  for (const auto& link : result.scenario.at("network").at("links")) {
    auto built = build_link(result, link, targets);
    if (!built.rows.empty()) report.links.push_back(std::move(built));
  }
  report.pretrain_s = pretraining_of(result);
  report.notes = run_notes(report);
  return report;
}

std::string render_text(const RunResult& result) { return render_text(build_report(result)); }

}  // namespace pacbench
