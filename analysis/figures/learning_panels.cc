#include <fmt/format.h>

#include <algorithm>

#include "analysis/figures/panels.h"
#include "contract/catalogue/catalogue.h"
#include "harness/statistics/spread.h"
#include "harness/store/files.h"

namespace pacbench::figures {
namespace {

Json curve_of(const FigureSource& source, const report::ReportRow& row, const std::string& link) {
  std::vector<std::vector<EvaluationEvent>> curves;
  for (const auto& recorded : recorded_cells(source.runs, row.label, link)) {
    auto curve = store::read_curve(recorded.folder);
    if (!curve.empty()) curves.push_back(std::move(curve));
  }
  if (curves.empty()) return nullptr;
  Json points = Json::array();
  for (const auto& point : median_curve(curves)) {
    points.push_back({{"iteration", point.iteration},
                      {"training_s", to_json(point.training_s)},
                      {"accuracy", to_json(point.accuracy)}});
  }
  if (points.empty()) return nullptr;
  return {
      {"label", row.label}, {"seeds", curves.size()}, {"suspect", row.suspect}, {"points", points}};
}

Json curves_over(const FigureSource& source, const report::LinkReport& link) {
  Json series = Json::array();
  for (const auto& row : link.rows) {
    if (auto curve = curve_of(source, row, link.link); !curve.is_null()) series.push_back(curve);
  }
  return series;
}

/// The options that methods of one family share: all but the label and the pruning ratio.
Json family_of(Json method) {
  method.erase("label");
  method.erase(kPruningRatio);
  return method;
}

/// The method's name, such as "pactrain", and those of its options in which the families differ.
std::string family_words(const Json& family, const std::vector<Json>& all) {
  auto words = family.at("name").get<std::string>();
  for (const auto& [key, value] : family.items()) {
    const auto has_another = [&, &key = key, &value = value](const Json& other) {
      return other.at("name") == family.at("name") && other.value(key, Json()) != value;
    };
    if (std::none_of(all.begin(), all.end(), has_another)) continue;
    words +=
        fmt::format(" {} {}", key, value.is_string() ? value.get<std::string>() : value.dump());
  }
  return words;
}

Json family_points(const Json& methods, const Json& family, const report::LinkReport& link) {
  std::vector<Json> points;
  for (const auto& method : methods) {
    const auto ratio = pruning_ratio(method);
    const auto* row = report::find_row(link.rows, method.at("label"));
    const bool has_learned = row != nullptr && row->final_accuracy;
    if (!ratio || !has_learned || family_of(method) != family) continue;
    points.push_back({{"pruning_ratio", *ratio},
                      {"label", row->label},
                      {"accuracy", to_json(row->final_accuracy)}});
  }
  std::sort(points.begin(), points.end(), [](const Json& one, const Json& other) {
    return one.at("pruning_ratio").get<double>() < other.at("pruning_ratio").get<double>();
  });
  return points;
}

Json pruning_series(const Json& methods, const report::LinkReport& link) {
  std::vector<Json> families;
  for (const auto& method : methods) {
    if (!pruning_ratio(method)) continue;
    const auto family = family_of(method);
    if (std::find(families.begin(), families.end(), family) == families.end()) {
      families.push_back(family);
    }
  }
  Json series = Json::array();
  for (const auto& family : families) {
    auto points = family_points(methods, family, link);
    if (points.empty()) continue;
    series.push_back({{"name", family_words(family, families)}, {"points", std::move(points)}});
  }
  return series;
}

Json dense_accuracy(const report::LinkReport& link) {
  for (const auto& row : link.rows) {
    if (row.method == "all-reduce" && row.final_accuracy) return to_json(row.final_accuracy);
  }
  return nullptr;
}

}  // namespace

Json accuracy_time_panels(const FigureSource& source) {
  Json panels = Json::array();
  if (!has_network(source.section)) return panels;
  for (const auto& link : source.section.links) {
    auto series = curves_over(source, link);
    if (series.empty()) continue;
    panels.push_back({{"title", fmt::format("{}: {}", source.section.title, link.link)},
                      {"link", link.link},
                      {"series", std::move(series)}});
  }
  return panels;
}

Json accuracy_iteration_panels(const FigureSource& source) {
  for (const auto& link : source.section.links) {
    auto series = curves_over(source, link);
    if (series.empty()) continue;
    return Json::array(
        {{{"title", source.section.title}, {"link", link.link}, {"series", std::move(series)}}});
  }
  return Json::array();
}

Json accuracy_pruning_panels(const FigureSource& source) {
  for (const auto& link : source.section.links) {
    auto series = pruning_series(source.section.scenario.at("methods"), link);
    if (series.empty()) continue;
    return Json::array({{{"title", source.section.title},
                         {"link", link.link},
                         {"series", std::move(series)},
                         {"dense", dense_accuracy(link)}}});
  }
  return Json::array();
}

}  // namespace pacbench::figures
