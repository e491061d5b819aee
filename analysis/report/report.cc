#include "analysis/report/report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "analysis/report/build.h"
#include "analysis/report/section_contents.h"
#include "harness/plan/plan.h"

namespace pacbench::report {
namespace {

/// The cells of one method over one link.
std::vector<const CellResult*> cells_of(const std::vector<CellResult>& cells,
                                        const std::string& label, const std::string& link) {
  std::vector<const CellResult*> found;
  for (const auto& cell : cells) {
    if (cell.link == link && cell.label == label) found.push_back(&cell);
  }
  return found;
}

/// The name of a run, or its path where two runs have one name.
std::string name_of(const MergedRuns& group, const store::NamedResult& run) {
  const auto count = std::ranges::count(group.runs, run.name(), &store::NamedResult::name);
  return count == 1 ? run.name() : run.path;
}

/// The runs that have cells of a method over a link.
std::string runs_of(const MergedRuns& group, const std::string& label, const std::string& link) {
  std::vector<std::string> names;
  for (const auto& run : group.runs) {
    if (!cells_of(run.result.cells, label, link).empty()) names.push_back(name_of(group, run));
  }
  return fmt::format("{}", fmt::join(names, " + "));
}

/// Fills in the speed-ups over a baseline. What a run measured is held against its own baseline,
/// where it has one, and else against that of all runs.
void fill_speed_ups(const MergedRuns& group, LinkReport& link, const std::string& label,
                    const RowContext& context, std::optional<SpeedUp> TargetSummary::*member) {
  const auto* of_all = first_of(link.rows, label);
  if (of_all == nullptr) return;
  std::map<std::string, ReportRow> of_run;
  for (const auto& run : group.runs) {
    const auto cells = cells_of(run.result.cells, label, link.link);
    if (cells.empty() || group.runs.size() == 1) continue;
    of_run.emplace(name_of(group, run),
                   build_row({{"label", label}, {"name", of_all->method}}, cells, {}, context));
  }
  for (auto& row : link.rows) {
    const auto own = of_run.find(row.run);
    const auto& base = own == of_run.end() ? *of_all : own->second;
    if (!comparable(base, row)) continue;
    for (std::size_t i = 0; i < row.targets.size(); ++i) {
      row.targets[i].*member = speed_up_of(base.targets[i], row.targets[i]);
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
  if (trains(result) || !has_curve(result.scenario)) return 0;
  return result.scenario.at("workload").value("evaluate_every", std::int64_t{1});
}

LinkReport build_link(const MergedRuns& group, const Json& link) {
  const auto& result = group.result;
  LinkReport report;
  report.link = link.at("name");
  report.rate_mbit = slower_mbit(link);
  if (has_network(result)) report.words = plan::link_words(result.scenario.at("network"), link);
  const RowContext context{
      targets_of(result.scenario), has_network(result), has_curve(result.scenario),
      has_network(result) ? steady_mbit(link) : std::nullopt, composed_every(result)};
  for (const auto& method : result.scenario.at("methods")) {
    const auto cells = cells_of(result.cells, method.at("label"), report.link);
    if (cells.empty()) continue;
    const auto repeats = cells_of(group.repeats, method.at("label"), report.link);
    report.rows.push_back(build_row(method, cells, repeats, context));
    report.rows.back().run = runs_of(group, method.at("label"), report.link);
    report.rows.back().simulated = !runs_workers(result);
  }
  if (has_network(result) && has_curve(result.scenario)) fill_crossings(group, report);
  report.probe = worst_probe(result, report.link);
  fill_speed_ups(group, report, "all-reduce", context, &TargetSummary::speed_up_all_reduce);
  fill_speed_ups(group, report, "fp16", context, &TargetSummary::speed_up_fp16);
  add_break_even_notes(report.rows);
  if (has_network(result)) add_diagnoses(report.rows, result.scenario.at("workers"));
  for (auto& row : report.rows) {
    if (row.step_is_other) forget_step(row);
  }
  return report;
}

/// The links of the network; in mode learn a single one with the name "none".
Json links_json(const RunResult& result) {
  if (has_network(result)) return result.scenario.at("network").at("links");
  return Json::array({{{"name", "none"}, {"rate_mbit", 0.0}}});
}

/// The times of pre-training. All methods of a run's seed share one, which counts once.
std::optional<statistics::Spread> pretraining_of(const MergedRuns& group) {
  std::vector<double> times;
  const auto add = [&](const RunResult& run) {
    std::map<std::int64_t, double> of_seed;
    for (const auto& cell : run.cells) {
      if (cell.pretrain_s > 0) of_seed[cell.seed] = cell.pretrain_s;
    }
    for (const auto& [seed, time_s] : of_seed) times.push_back(time_s);
  };
  if (group.runs.size() <= 1) {
    add(group.result);
  } else {
    for (const auto& run : group.runs) add(run.result);
  }
  return times.empty() ? std::nullopt : std::optional{statistics::spread(times)};
}

/// Names the targets of single runs that the tables lack, since not all runs looked for them.
std::vector<std::string> missing_targets(const MergedRuns& group) {
  std::vector<std::string> notes;
  const auto shared = targets_of(group.result.scenario);
  for (const auto& run : group.runs) {
    std::vector<std::string> missing;
    for (const auto& target : targets_of(run.result.scenario)) {
      if (std::ranges::find(shared, target) == shared.end()) missing.push_back(words_of(target));
    }
    if (missing.empty()) continue;
    notes.push_back(
        fmt::format("only some of these runs looked for {}: pacbench report {} shows it",
                    fmt::join(missing, ", "), run.path));
  }
  return notes;
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
  std::set<std::int64_t> seeds;
  for (const auto& cell : result.cells) seeds.insert(cell.seed);
  section.seeds = {seeds.begin(), seeds.end()};
  for (const auto& link : links_json(result)) {
    auto built = build_link(group, link);
    if (!built.rows.empty()) section.links.push_back(std::move(built));
  }
  section.pretrain_s = pretraining_of(group);
  section.notes = section_notes(section);
  for (auto& note : missing_cells(group)) section.notes.push_back(std::move(note));
  for (auto& note : missing_targets(group)) section.notes.push_back(std::move(note));
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

/// Returns a link's profile without name and rate: links that share it differ in their rate alone.
std::optional<Json> beside_rate(const Json& scenario, const std::string& link) {
  for (auto profile : scenario.at("network").at("links")) {
    if (profile.at("name") != link || !profile.contains("rate_mbit")) continue;
    profile.erase("name");
    profile.erase("rate_mbit");
    return profile;
  }
  return std::nullopt;
}

}  // namespace

Report build_report(const std::vector<MergedRuns>& groups) {
  Report report;
  for (const auto& group : groups) report.sections.push_back(build_section(group));
  fill_titles(report.sections);
  std::vector<std::string> names;
  for (const auto& section : report.sections) names.push_back(section.name);
  report.name = joined_names(names);
  return report;
}

std::vector<RateSweep> rate_sweeps(const ReportSection& section) {
  std::map<Json, RateSweep> groups;
  for (const auto& link : section.links) {
    if (const auto rest = beside_rate(section.scenario, link.link)) groups[*rest].push_back(&link);
  }
  std::vector<RateSweep> sweeps;
  for (auto& [rest, links] : groups) {
    std::ranges::sort(links, {}, &LinkReport::rate_mbit);
    const auto repeated = std::ranges::unique(links, {}, &LinkReport::rate_mbit);
    links.erase(repeated.begin(), repeated.end());
    if (links.size() > 1) sweeps.push_back(links);
  }
  return sweeps;
}

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

}  // namespace pacbench::report
