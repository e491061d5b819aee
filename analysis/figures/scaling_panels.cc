#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "analysis/figures/panels.h"
#include "analysis/report/scaling.h"

namespace pacbench::figures {
namespace {

constexpr std::pair<const char*, const char*> kQuantities[] = {
    {"mean_iteration_s", "mean time per iteration, s"},
    {"busiest_link_bytes", "bytes on the busiest link, a step"},
    {"efficiency", "efficiency"},
};

constexpr const char* kPlace[] = {"workload", "topology", "link", "rate_mbit"};

/// Whether both have one workload, and links of one kind.
bool is_of(const Json& series, const Json& panel) {
  return std::ranges::all_of(kPlace,
                             [&](const char* key) { return series.at(key) == panel.at(key); });
}

/// Names topology and link, and also the workload and the rate where series differ in them.
std::string title_of(const Json& series, const Json& all) {
  const auto differs = [&](const char* key) {
    return std::any_of(all.begin(), all.end(), [&](const Json& other) {
      return other.at("topology") == series.at("topology") &&
             other.at("link") == series.at("link") && other.at(key) != series.at(key);
    });
  };
  auto title = fmt::format("{}, {}", series.at("topology").get<std::string>(),
                           series.at("link").get<std::string>());
  if (differs("rate_mbit")) {
    title += fmt::format(", {:g} Mbit/s", series.at("rate_mbit").get<double>());
  }
  if (differs("workload")) title += ", " + series.at("workload").get<std::string>();
  return title;
}

}  // namespace

Json scaling_panels(const std::vector<report::ReportSection>& sections) {
  Json panels = Json::array();
  const auto all = report::to_json(report::scaling(sections));
  for (const auto& series : all) {
    auto own = std::find_if(panels.begin(), panels.end(),
                            [&](const Json& panel) { return is_of(series, panel); });
    if (own == panels.end()) {
      for (const auto& [key, words] : kQuantities) {
        Json panel{{"title", title_of(series, all)},
                   {"section", 0},
                   {"quantity", key},
                   {"words", words},
                   {"series", Json::array()}};
        for (const char* place : kPlace) panel[place] = series.at(place);
        panels.push_back(std::move(panel));
      }
    }
    for (auto& panel : panels) {
      if (!is_of(series, panel)) continue;
      panel["series"].push_back({{"label", series.at("label")}, {"points", series.at("points")}});
    }
  }
  return panels;
}

}  // namespace pacbench::figures
