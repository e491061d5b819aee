#include <fmt/format.h>

#include "analysis/figures/panels.h"
#include "analysis/figures/phases.h"
#include "analysis/figures/titles.h"
#include "analysis/figures/typical_iteration.h"
#include "harness/statistics/spread_json.h"

namespace pacbench::figures {
namespace {

/// The text in place of a row's bar.
std::string no_bar(const report::ReportRow& row, const report::TargetSummary& target) {
  if (row.suspect) return "suspect";
  return target.tta_s.median ? "—" : "DNF";
}

Json bar_of(const report::ReportRow& row, std::size_t target, double baseline_s) {
  const auto& summary = row.targets[target];
  Json bar{{"label", row.label},
           {"reached", summary.tta_s.reached},
           {"total", summary.tta_s.total},
           {"relative", nullptr},
           {"word", ""}};
  if (!summary.speed_up_all_reduce) {
    bar["word"] = no_bar(row, summary);
    return bar;
  }
  auto relative = summary.tta_s;
  for (auto* value : {&relative.median, &relative.minimum, &relative.maximum}) {
    if (*value) **value /= baseline_s;
  }
  auto interval = summary.tta_interval_s;
  if (interval) {
    for (auto* end : {&interval->low, &interval->high}) {
      if (*end) **end /= baseline_s;
    }
  }
  bar["relative"] = to_json(relative);
  bar["relative"]["interval"] = to_json(interval);
  return bar;
}

/// The bars of one link; none where all-reduce has no row, has cells that do not count, or did not
/// reach the target.
Json bars_of(const report::LinkReport& link, std::size_t target) {
  const auto* baseline = report::first_of(link.rows, "all-reduce");
  Json bars = Json::array();
  if (baseline == nullptr || !baseline->targets[target].speed_up_all_reduce) return bars;
  for (const auto& row : link.rows) {
    bars.push_back(bar_of(row, target, *baseline->targets[target].tta_s.median));
  }
  return bars;
}

/// The phases of rank 0 in the cells' typical iterations, as means over the cells. Means of the
/// parts still add up to the mean step. Null without any iteration.
Json phases_of(const FigureSource& source, const report::ReportRow& row, const std::string& link) {
  std::vector<StepPhases> cells;
  if (row.step_is_other) return nullptr;
  const auto workers = source.section.scenario.at("workers").get<int>();
  for (const auto& [cell, folder] : recorded_cells(source.runs, row.label, link)) {
    const auto ranks = typical_iteration(folder, workers, cell->time_per_iteration_s);
    if (!ranks.empty()) cells.push_back(step_phases(ranks.front()));
  }
  if (cells.empty()) return nullptr;
  const auto mean = [&](double StepPhases::*member) {
    double sum = 0;
    for (const auto& phases : cells) sum += phases.*member;
    return sum / static_cast<double>(cells.size());
  };
  return {{"label", row.label},
          {"suspect", row.suspect},
          {"cells", cells.size()},
          {"compute_s", mean(&StepPhases::compute_s)},
          {"exposed_encode_s", mean(&StepPhases::exposed_encode_s)},
          {"exposed_wire_s", mean(&StepPhases::exposed_wire_s)},
          {"rest_s", mean(&StepPhases::rest_s)},
          {"time_per_iteration_s", to_json(row.time_per_iteration_s)}};
}

}  // namespace

Json relative_tta_panels(const FigureSource& source) {
  Json panels = Json::array();
  const auto& section = source.section;
  const auto targets = targets_of(section.scenario);
  for (std::size_t i = 0; i < targets.size(); ++i) {
    Json groups = Json::array();
    for (const auto& link : section.links) {
      auto bars = bars_of(link, i);
      if (!bars.empty()) groups.push_back({{"name", link.link}, {"bars", std::move(bars)}});
    }
    if (groups.empty()) continue;
    panels.push_back({{"title", fmt::format("{} {}", section.title, target_words(targets[i]))},
                      {"target", targets[i].value},
                      {"groups", std::move(groups)}});
  }
  return panels;
}

Json phase_panels(const FigureSource& source) {
  if (!has_network(source.section)) return Json::array();
  return link_panels(source, [&](const report::LinkReport& link, const report::ReportRow& row) {
    return phases_of(source, row, link.link);
  });
}

}  // namespace pacbench::figures
