#include <fmt/format.h>

#include <algorithm>

#include "analysis/figures/panels.h"
#include "analysis/figures/trade_offs.h"
#include "harness/statistics/spread.h"

namespace pacbench::figures {
namespace {

/// Removes the rates at which no method has a time that counts, so that the rates around them
/// become neighbours.
void drop_empty_rates(std::vector<RateSeries>& lines) {
  if (lines.empty()) return;
  for (auto i = lines.front().points.size(); i-- > 0;) {
    const auto has_time = [i](const RateSeries& line) { return line.points[i].tta_s.has_value(); };
    if (std::ranges::any_of(lines, has_time)) continue;
    for (auto& line : lines) {
      line.points.erase(line.points.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }
}

/// Null where no method reached the target.
Json sweep_panel(const FigureSource& source, const report::RateSweep& links, std::size_t target) {
  std::vector<RateSeries> lines;
  bool any_reached = false;
  Json series = Json::array();
  for (const auto& method : source.section.scenario.at("methods")) {
    RateSeries line{method.at("label"), {}};
    Json points = Json::array();
    for (const auto* link : links) {
      const auto* row = report::find_row(link->rows, line.label);
      line.points.push_back({link->rate_mbit, std::nullopt});
      if (row == nullptr || row->targets[target].tta_s.total == 0) continue;
      const auto& summary = row->targets[target];
      any_reached |= summary.tta_s.median.has_value();
      // A row can be compared with itself where all of its cells are done, over links as declared.
      if (report::comparable(*row, *row)) line.points.back().tta_s = summary.tta_s.median;
      points.push_back({{"link", link->link},
                        {"rate_mbit", link->rate_mbit},
                        {"suspect", row->suspect},
                        {"tta_s", to_json(summary.tta_s)}});
      points.back()["tta_s"]["interval"] = to_json(summary.tta_interval_s);
    }
    if (points.empty()) continue;
    series.push_back({{"label", line.label}, {"points", std::move(points)}});
    lines.push_back(std::move(line));
  }
  if (!any_reached) return nullptr;
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
      if (panel.is_null()) continue;
      panel["title"] = fmt::format("{} to {}", source.section.title, words_of(targets[i]));
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
      panels.push_back({{"title", fmt::format("{}: {} to {}", source.section.title, link.link,
                                              words_of(targets[i]))},
                        {"link", link.link},
                        {"points", std::move(points)}});
    }
  }
  return panels;
}

}  // namespace pacbench::figures
