#include <fmt/format.h>

#include <algorithm>

#include "analysis/figures/panels.h"
#include "analysis/report/words.h"
#include "base/json/checked_keys.h"
#include "harness/record/spans.h"
#include "harness/statistics/spread.h"

namespace pacbench::figures {
namespace {

Json bar_of(const report::ReportRow& row, std::size_t target, double baseline_s) {
  const auto& summary = row.targets[target];
  Json bar{{"label", row.label},
           {"reached", summary.tta_s.reached},
           {"total", summary.tta_s.total},
           {"relative", nullptr},
           {"word", ""}};
  if (!summary.speed_up_all_reduce) {
    bar["word"] = row.suspect ? "suspect" : summary.tta_s.median ? "—" : "DNF";
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
  const auto baseline_s = *baseline->targets[target].tta_s.median;
  for (const auto& row : link.rows) bars.push_back(bar_of(row, target, baseline_s));
  return bars;
}

/// A panel for each link whose rows have something to show; `row_of` returns null for a row that
/// has nothing.
template <typename RowOf>
Json link_panels(const FigureSource& source, const RowOf& row_of) {
  Json panels = Json::array();
  for (const auto& link : source.section.links) {
    Json rows = Json::array();
    for (const auto& row : link.rows) {
      if (Json shown = row_of(link, row); !shown.is_null()) rows.push_back(std::move(shown));
    }
    if (rows.empty()) continue;
    panels.push_back({{"title", fmt::format("{}: {}", source.section.title, link.link)},
                      {"link", link.link},
                      {"rows", std::move(rows)}});
  }
  return panels;
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

Json ranks_of(const IterationOfRanks& ranks) {
  auto start_ns = ranks.front().step.start_ns;
  for (const auto& event : ranks) start_ns = std::min(start_ns, event.step.start_ns);
  const auto in_ms = [&](std::int64_t at_ns) {
    return static_cast<double>(at_ns - start_ns) * 1e-6;
  };
  Json all = Json::array();
  for (const auto& event : ranks) {
    Json spans = Json::array();
    for (const auto& phase : record::iteration_phases(event)) {
      spans.push_back({{"kind", phase.kind},
                       {"bucket", phase.bucket},
                       {"start_ms", in_ms(phase.time.start_ns)},
                       {"end_ms", in_ms(phase.time.end_ns)}});
    }
    all.push_back({{"rank", event.rank}, {"spans", std::move(spans)}});
  }
  return all;
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
    panels.push_back({{"title", fmt::format("{} to {}", section.title, words_of(targets[i]))},
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

Json byte_panels(const FigureSource& source) {
  return link_panels(source, [](const auto&, const report::ReportRow& row) -> Json {
    if (!row.measured_bytes_per_iteration || !row.expected_bytes_per_iteration) return nullptr;
    return {{"label", row.label},
            {"measured_bytes", to_json(row.measured_bytes_per_iteration)},
            {"expected_bytes", to_json(row.expected_bytes_per_iteration)},
            {"payload_bytes", to_json(row.payload_bytes_per_iteration)},
            {"off", json_fields::written(report::share_of_bytes_off(row))}};
  });
}

Json timelines(const FigureSource& source) {
  Json all = Json::array();
  if (!has_network(source.section)) return all;
  const auto workers = source.section.scenario.at("workers").get<int>();
  for (const auto& link : source.section.links) {
    for (const auto& row : link.rows) {
      for (const auto& [cell, folder] : recorded_cells(source.runs, row.label, link.link)) {
        const auto ranks = typical_iteration(folder, workers, cell->time_per_iteration_s);
        if (ranks.empty()) continue;
        all.push_back({{"link", link.link},
                       {"label", row.label},
                       {"seed", cell->seed},
                       {"iteration", ranks.front().iteration},
                       {"time_per_iteration_s", cell->time_per_iteration_s},
                       {"ranks", ranks_of(ranks)}});
        break;
      }
    }
  }
  return all;
}

}  // namespace pacbench::figures
