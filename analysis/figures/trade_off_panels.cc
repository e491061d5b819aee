#include <fmt/format.h>

#include <algorithm>

#include "analysis/figures/fastest_changes.h"
#include "analysis/figures/panels.h"
#include "analysis/figures/pareto.h"
#include "analysis/figures/titles.h"
#include "analysis/report/rate_sweeps.h"
#include "harness/statistics/spread_json.h"

namespace pacbench::figures {
namespace {

/// Whether a row can be compared: all of its cells are done, over links as declared.
bool counts(const report::ReportRow& row) { return report::comparable(row, row); }

/// Removes the rates at which no method has a time that counts, so that the rates around them
/// become neighbours.
void drop_empty_rates(std::vector<RateSeries>& lines) {
  if (lines.empty()) return;
  for (auto i = lines.front().points.size(); i-- > 0;) {
    const bool any = std::any_of(lines.begin(), lines.end(), [i](const RateSeries& line) {
      return line.points[i].tta_s.has_value();
    });
    if (any) continue;
    for (auto& line : lines)
      line.points.erase(line.points.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

Json sweep_panel(const FigureSource& source, const report::RateSweep& links, std::size_t target) {
  std::vector<RateSeries> lines;
  Json series = Json::array();
  for (const auto& method : source.section.scenario.at("methods")) {
    RateSeries line{method.at("label"), {}};
    Json points = Json::array();
    for (const auto* link : links) {
      const auto* row = report::find_row(*link, line.label);
      line.points.push_back({link->rate_mbit, std::nullopt});
      if (row == nullptr || row->targets[target].tta_s.total == 0) continue;
      if (counts(*row)) line.points.back().tta_s = row->targets[target].tta_s.median;
      points.push_back({{"link", link->link},
                        {"rate_mbit", link->rate_mbit},
                        {"suspect", row->suspect},
                        {"tta_s", to_json(row->targets[target].tta_s)}});
      points.back()["tta_s"]["interval"] = to_json(row->targets[target].tta_interval_s);
    }
    if (points.empty()) continue;
    series.push_back({{"label", line.label}, {"points", std::move(points)}});
    lines.push_back(std::move(line));
  }
  drop_empty_rates(lines);
  Json found = Json::array();
  for (const auto& crossing : fastest_changes(lines)) {
    found.push_back({{"rate_mbit", crossing.rate_mbit},
                     {"tta_s", crossing.tta_s},
                     {"below", crossing.slower_links},
                     {"above", crossing.faster_links}});
  }
  return {{"series", std::move(series)}, {"crossings", std::move(found)}};
}

bool any_reached(const Json& panel) {
  for (const auto& series : panel.at("series")) {
    for (const auto& point : series.at("points")) {
      if (!point.at("tta_s").at("median").is_null()) return true;
    }
  }
  return false;
}

Json trade_offs_of(const report::LinkReport& link, std::size_t target) {
  std::vector<const report::ReportRow*> rows;
  std::vector<TradeOff> methods;
  for (const auto& row : link.rows) {
    const auto& speed_up = row.targets[target].speed_up_all_reduce;
    if (!speed_up || !row.final_accuracy) continue;
    rows.push_back(&row);
    methods.push_back({speed_up->value, row.final_accuracy->median});
  }
  const auto front = pareto_front(methods);
  Json points = Json::array();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    points.push_back({{"label", rows[i]->label},
                      {"speed_up", methods[i].speed_up},
                      {"accuracy", to_json(rows[i]->final_accuracy)},
                      {"front", static_cast<bool>(front[i])}});
  }
  return points;
}

}  // namespace

Json bandwidth_panels(const FigureSource& source) {
  Json panels = Json::array();
  if (!has_network(source.section)) return panels;
  const auto targets = targets_of(source.section.scenario);
  for (const auto& links : report::rate_sweeps(source.section)) {
    for (std::size_t i = 0; i < targets.size(); ++i) {
      auto panel = sweep_panel(source, links, i);
      if (!any_reached(panel)) continue;
      panel["title"] = fmt::format("{} {}", source.section.title, target_words(targets[i]));
      panels.push_back(std::move(panel));
    }
  }
  return panels;
}

Json pareto_panels(const FigureSource& source) {
  Json panels = Json::array();
  const auto targets = targets_of(source.section.scenario);
  for (const auto& link : source.section.links) {
    for (std::size_t i = 0; i < targets.size(); ++i) {
      auto points = trade_offs_of(link, i);
      // With all-reduce alone there is no trade-off to show.
      if (points.size() < 2) continue;
      panels.push_back({{"title", fmt::format("{}: {} {}", source.section.title, link.link,
                                              target_words(targets[i]))},
                        {"link", link.link},
                        {"points", std::move(points)}});
    }
  }
  return panels;
}

}  // namespace pacbench::figures
