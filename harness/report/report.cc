#include "harness/report/report.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "harness/links/link_words.h"
#include "harness/report/notes.h"
#include "spec/mask_overlap.h"

namespace pacbench {
namespace {

using Cells = std::vector<const CellResult*>;

constexpr const char* kLearn = "learn";

bool is_done(const CellResult& cell) { return cell.status == "done"; }
bool is_failed(const CellResult& cell) { return cell.status == "failed"; }

std::optional<Spread> spread_of(const Cells& cells, double CellResult::*member) {
  std::vector<double> values;
  for (const auto* cell : cells) {
    if (is_done(*cell)) values.push_back(cell->*member);
  }
  return values.empty() ? std::nullopt : std::optional{spread(values)};
}

std::optional<Spread> spread_of(const Cells& cells, std::optional<double> CellResult::*member) {
  std::vector<double> values;
  for (const auto* cell : cells) {
    if (is_done(*cell) && cell->*member) values.push_back(*(cell->*member));
  }
  return values.empty() ? std::nullopt : std::optional{spread(values)};
}

const TargetResult* find_target(const CellResult& cell, double accuracy) {
  const auto found =
      std::find_if(cell.targets.begin(), cell.targets.end(),
                   [&](const TargetResult& target) { return target.accuracy == accuracy; });
  return found == cell.targets.end() ? nullptr : &*found;
}

TargetSummary summarise_target(const Cells& cells, double accuracy, bool timed) {
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
  return {accuracy,
          timed ? censored_spread(times) : CensoredSpread{},
          censored_spread(iterations),
          {},
          {}};
}

/// What pruning, masks and exchanges beyond the usual took, all together.
std::optional<Spread> overhead_of(const Cells& cells) {
  std::vector<double> values;
  for (const auto* cell : cells) {
    if (!is_done(*cell)) continue;
    const auto steps_s = static_cast<double>(cell->iterations) * cell->time_per_iteration_s;
    values.push_back(std::max(0.0, cell->training_s - steps_s));
  }
  return values.empty() ? std::nullopt : std::optional{spread(values)};
}

void fill_times(ReportRow& row, const Cells& cells) {
  row.time_per_iteration_s = spread_of(cells, &CellResult::time_per_iteration_s);
  row.samples_per_s = spread_of(cells, &CellResult::samples_per_s);
  row.compute_s = spread_of(cells, &CellResult::compute_s);
  row.exposed_s = spread_of(cells, &CellResult::exposed_s);
  row.encode_s = spread_of(cells, &CellResult::encode_s);
  row.wire_s = spread_of(cells, &CellResult::wire_s);
  row.overlap = spread_of(cells, &CellResult::overlap);
  row.measured_bytes_per_iteration = spread_of(cells, &CellResult::measured_bytes_per_iteration);
  row.pruning_s = spread_of(cells, &CellResult::pruning_s);
  row.overhead_s = overhead_of(cells);
}

std::optional<double> mask_overlap_of(const Cells& cells) {
  std::vector<double> overlaps;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const auto& one = cells[i]->mask_sample;
      const auto& other = cells[j]->mask_sample;
      if (!is_done(*cells[i]) || !is_done(*cells[j])) continue;
      if (one.empty() || one.size() != other.size() || cells[i]->seed == cells[j]->seed) continue;
      overlaps.push_back(sample_overlap(one, other));
    }
  }
  return overlaps.empty() ? std::nullopt : std::optional{median(overlaps)};
}

void fill_masks(ReportRow& row, const Cells& cells) {
  row.kept_fraction = spread_of(cells, &CellResult::kept_fraction);
  row.compacted_from = spread_of(cells, &CellResult::compacted_from);
  row.dense_share = spread_of(cells, &CellResult::dense_share);
  row.mask_overlap = mask_overlap_of(cells);
}

void fill_learning(ReportRow& row, const Cells& cells) {
  row.final_accuracy = spread_of(cells, &CellResult::final_accuracy);
  row.best_accuracy = spread_of(cells, &CellResult::best_accuracy);
  row.vnmse = spread_of(cells, &CellResult::vnmse);
  row.cosine = spread_of(cells, &CellResult::cosine);
  row.residual_norm = spread_of(cells, &CellResult::residual_norm);
  row.expected_bytes_per_iteration = spread_of(cells, &CellResult::expected_bytes_per_iteration);
  row.payload_bytes_per_iteration = spread_of(cells, &CellResult::payload_bytes_per_iteration);
}

ReportRow build_row(const Json& method, const Cells& cells, const std::vector<double>& targets,
                    bool timed) {
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
  for (const double accuracy : targets) {
    row.targets.push_back(summarise_target(cells, accuracy, timed));
  }
  if (timed) fill_times(row, cells);
  fill_learning(row, cells);
  fill_masks(row, cells);
  row.notes = row_notes(cells, row, timed);
  return row;
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

/// Of a link profile in canonical form.
double slower_mbit(const Json& link) {
  if (link.contains("rate_mbit")) return link.at("rate_mbit");
  return std::min(link.at("up_mbit").get<double>(), link.at("down_mbit").get<double>());
}

/// Of the cell that is farthest from 1.
std::optional<double> worst_probe(const RunResult& result, const std::string& link) {
  std::optional<double> worst;
  for (const auto& cell : result.cells) {
    if (cell.link != link || !cell.link_probe) continue;
    if (!worst || std::abs(*cell.link_probe - 1) > std::abs(*worst - 1)) worst = cell.link_probe;
  }
  return worst;
}

LinkReport build_link(const RunResult& result, const Json& link,
                      const std::vector<double>& targets) {
  LinkReport report;
  report.link = link.at("name");
  report.rate_mbit = slower_mbit(link);
  if (result.mode != kLearn) report.words = link_words(result.scenario.at("network"), link);
  for (const auto& method : result.scenario.at("methods")) {
    Cells cells;
    for (const auto& cell : result.cells) {
      if (cell.link == report.link && cell.label == method.at("label")) cells.push_back(&cell);
    }
    if (cells.empty()) continue;
    report.rows.push_back(build_row(method, cells, targets, result.mode != kLearn));
  }
  report.probe = worst_probe(result, report.link);
  fill_speed_ups(report.rows, "all-reduce", &TargetSummary::speed_up_all_reduce);
  fill_speed_ups(report.rows, "fp16", &TargetSummary::speed_up_fp16);
  add_break_even_notes(report.rows);
  return report;
}

/// Without a network there is one link, which is none.
Json links_of(const RunResult& result) {
  if (result.mode != kLearn) return result.scenario.at("network").at("links");
  return Json::array({{{"name", "none"}, {"rate_mbit", 0.0}}});
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

bool comparable(const ReportRow& one, const ReportRow& other) {
  const auto whole = [](const ReportRow& row) {
    return row.done > 0 && row.failed == 0 && row.unfinished == 0 && !row.suspect;
  };
  return whole(one) && whole(other) && one.seeds == other.seeds;
}

Report build_report(const RunResult& result) {
  Report report;
  report.name = result.scenario.at("name");
  report.mode = result.mode;
  report.comparison_hash = result.comparison_hash;
  report.scenario = result.scenario;
  report.seeds = seeds_of(result);
  const auto targets = result.scenario.at("targets").at("accuracy").get<std::vector<double>>();
  for (const auto& link : links_of(result)) {
    auto built = build_link(result, link, targets);
    if (!built.rows.empty()) report.links.push_back(std::move(built));
  }
  report.pretrain_s = pretraining_of(result);
  report.notes = run_notes(report);
  return report;
}

bool is_timed(const Report& report) { return report.mode != kLearn; }

std::string render_text(const RunResult& result, std::size_t columns) {
  return render_text(build_report(result), columns);
}

}  // namespace pacbench
