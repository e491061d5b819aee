#include "analysis/report/report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "analysis/report/build_row.h"
#include "analysis/report/crossings.h"
#include "analysis/report/diagnosis.h"
#include "analysis/report/notes.h"
#include "harness/plan/link_words.h"

#include "analysis/report/titles.h"

namespace pacbench::report {
namespace {

void fill_speed_ups(std::vector<ReportRow>& rows, const std::string& baseline,
                    std::optional<SpeedUp> TargetSummary::*member) {
  const auto* base = first_of(rows, baseline);
  if (base == nullptr) return;
  for (auto& row : rows) {
    if (!comparable(*base, row)) continue;
    for (std::size_t i = 0; i < row.targets.size(); ++i) {
      row.targets[i].*member = speed_up_of(base->targets[i], row.targets[i]);
    }
  }
}

/// The slower direction's rate of a link profile in canonical form.
double slower_mbit(const Json& link) {
  if (link.contains("rate_mbit")) return link.at("rate_mbit");
  return std::min(link.at("up_mbit").get<double>(), link.at("down_mbit").get<double>());
}

/// The rate of the slower direction of every worker's link. Absent where the link has a schedule,
/// overrides or a load.
std::optional<double> steady_mbit(const Json& link) {
  for (const char* key : {"schedule", "overrides", "load"}) {
    if (link.contains(key)) return std::nullopt;
  }
  return slower_mbit(link);
}

/// The probe ratio that is farthest from 1 among the cells of a link.
std::optional<double> worst_probe(const RunResult& result, const std::string& link) {
  std::optional<double> worst;
  for (const auto& cell : result.cells) {
    if (cell.link != link || !cell.link_probe) continue;
    if (!worst || std::abs(*cell.link_probe - 1) > std::abs(*worst - 1)) worst = cell.link_probe;
  }
  return worst;
}

/// RowContext::composed_every.
std::int64_t composed_every(const RunResult& result) {
  const bool is_composed = result.mode == Mode::kCompose || result.mode == Mode::kSimulate;
  if (!is_composed || !has_curve(result.scenario)) return 0;
  return result.scenario.at("workload").value("evaluate_every", std::int64_t{1});
}

/// The cells of one method over one link.
std::vector<const CellResult*> cells_of(const std::vector<CellResult>& cells,
                                        const std::string& label, const std::string& link) {
  std::vector<const CellResult*> found;
  for (const auto& cell : cells) {
    if (cell.link == link && cell.label == label) found.push_back(&cell);
  }
  return found;
}

LinkReport build_link(const MergedRuns& group, const Json& link) {
  const auto& result = group.result;
  LinkReport report;
  report.link = link.at("name");
  report.rate_mbit = slower_mbit(link);
  if (!is_learn(result)) report.words = plan::link_words(result.scenario.at("network"), link);
  const RowContext context{
      targets_of(result.scenario), !is_learn(result), has_curve(result.scenario),
      is_learn(result) ? std::nullopt : steady_mbit(link), composed_every(result)};
  for (const auto& method : result.scenario.at("methods")) {
    const auto cells = cells_of(result.cells, method.at("label"), report.link);
    if (cells.empty()) continue;
    const auto repeats = cells_of(group.repeats, method.at("label"), report.link);
    report.rows.push_back(build_row(method, cells, repeats, context));
    report.rows.back().simulated = result.mode == Mode::kSimulate;
  }
  if (!is_learn(result) && has_curve(result.scenario)) fill_crossings(group, report);
  report.probe = worst_probe(result, report.link);
  fill_speed_ups(report.rows, "all-reduce", &TargetSummary::speed_up_all_reduce);
  fill_speed_ups(report.rows, "fp16", &TargetSummary::speed_up_fp16);
  add_break_even_notes(report.rows);
  if (!is_learn(result)) add_diagnoses(report.rows, result.scenario.at("workers"));
  for (auto& row : report.rows) {
    if (row.step_is_other) forget_step(row);
  }
  return report;
}

/// The links of the network; in mode learn a single one with the name "none".
Json links_json(const RunResult& result) {
  if (!is_learn(result)) return result.scenario.at("network").at("links");
  return Json::array({{{"name", "none"}, {"rate_mbit", 0.0}}});
}

std::vector<std::int64_t> seeds_of(const RunResult& result) {
  std::set<std::int64_t> seeds;
  for (const auto& cell : result.cells) seeds.insert(cell.seed);
  return {seeds.begin(), seeds.end()};
}

/// The times of pre-training. All methods of a seed share one, which counts once.
std::optional<statistics::Spread> pretraining_of(const RunResult& result) {
  std::map<std::int64_t, double> of_seed;
  for (const auto& cell : result.cells) {
    if (cell.pretrain_s > 0) of_seed[cell.seed] = cell.pretrain_s;
  }
  std::vector<double> times;
  for (const auto& [seed, time_s] : of_seed) times.push_back(time_s);
  return times.empty() ? std::nullopt : std::optional{statistics::spread(times)};
}

/// Names the runs that lack cells of their scenarios: they were broken off, or run with --only.
std::vector<std::string> missing_cells(const MergedRuns& group) {
  std::vector<std::string> notes;
  for (const auto& run : group.runs) {
    const auto planned = store::planned_cells(run.result);
    const auto found = run.result.cells.size();
    if (found >= planned) continue;
    notes.push_back(
        fmt::format("{} has {} of the {} cells of its scenario; pacbench run --resume "
                    "makes the others",
                    run.path, found, planned));
  }
  return notes;
}

ReportSection section_of(const MergedRuns& group) {
  const auto& result = group.result;
  ReportSection section;
  section.name = result.scenario.at("name");
  for (const auto& run : group.runs) section.files.push_back(run.path);
  section.mode = result.mode;
  section.comparison_hash = result.comparison_hash;
  section.scenario = result.scenario;
  section.seeds = seeds_of(result);
  for (const auto& link : links_json(result)) {
    auto built = build_link(group, link);
    if (!built.rows.empty()) section.links.push_back(std::move(built));
  }
  section.pretrain_s = pretraining_of(result);
  section.notes = section_notes(section);
  for (auto& note : missing_cells(group)) section.notes.push_back(std::move(note));
  return section;
}

/// Builds a section, or throws ConfigError: a scenario of another version of pacbench may lack keys
/// although its hash is right.
ReportSection build_section(const MergedRuns& group) {
  try {
    return section_of(group);
  } catch (const Json::exception& error) {
    throw ConfigError{
        group.runs.front().path,
        {{"/scenario",
          fmt::format("found a scenario that this pacbench cannot read ({}): the file was edited, "
                      "or written by another version; read it with the pacbench that wrote it",
                      error.what())}}};
  }
}

std::string joined_names(const std::vector<ReportSection>& sections) {
  std::vector<std::string> names;
  for (const auto& section : sections) {
    if (std::find(names.begin(), names.end(), section.name) == names.end()) {
      names.push_back(section.name);
    }
  }
  return fmt::format("{}", fmt::join(names, " + "));
}

}  // namespace

Report build_report(const std::vector<MergedRuns>& groups) {
  Report report;
  for (const auto& group : groups) report.sections.push_back(build_section(group));
  fill_titles(report.sections);
  report.name = joined_names(report.sections);
  return report;
}

bool is_timed(const ReportSection& section) { return section.mode != Mode::kLearn; }

std::optional<double> least_wire_s(const LinkReport& link, const ReportRow& row) {
  if (!row.link_use) return std::nullopt;
  if (row.trunk_bytes_per_iteration) {
    // The bytes are a mean over trunks, of both directions of a trunk together. So the fullest
    // direction of all has at least half of them.
    return row.trunk_bytes_per_iteration->median / 2 * 8e-6 / link.rate_mbit;
  }
  if (!row.expected_bytes_per_iteration) return std::nullopt;
  return row.expected_bytes_per_iteration->median * 8e-6 / link.rate_mbit;
}

std::string render_text(const RunResult& result, std::size_t columns) {
  return render_text(build_report({{{}, result}}), columns);
}

}  // namespace pacbench::report
