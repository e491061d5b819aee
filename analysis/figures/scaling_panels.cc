#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "analysis/figures/panels.h"
#include "analysis/report/scaling.h"

namespace pacbench::figures {
namespace {

struct Quantity {
  const char* key;
  const char* words;
};

constexpr std::array<Quantity, 3> kQuantities{{
    {"mean_iteration_s", "mean time per iteration, s"},
    {"busiest_link_bytes", "bytes on the busiest link, a step"},
    {"efficiency", "efficiency"},
}};

bool is_of(const Json& series, const Json& panel) {
  return series.at("topology") == panel.at("topology") && series.at("link") == panel.at("link");
}

}  // namespace

Json scaling_panels(const std::vector<report::ReportSection>& sections) {
  Json panels = Json::array();
  for (const auto& series : to_json(report::scaling(sections))) {
    auto own = std::find_if(panels.begin(), panels.end(),
                            [&](const Json& panel) { return is_of(series, panel); });
    if (own == panels.end()) {
      for (const auto& [key, words] : kQuantities) {
        panels.push_back({{"title", fmt::format("{}, {}", series.at("topology").get<std::string>(),
                                                series.at("link").get<std::string>())},
                          {"section", 0},
                          {"topology", series.at("topology")},
                          {"link", series.at("link")},
                          {"quantity", key},
                          {"words", words},
                          {"series", Json::array()}});
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
