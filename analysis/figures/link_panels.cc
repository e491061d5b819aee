#include <fmt/format.h>

#include "analysis/figures/panels.h"

namespace pacbench::figures {

Json link_panels(
    const FigureSource& source,
    const std::function<Json(const report::LinkReport&, const report::ReportRow&)>& row_of) {
  Json panels = Json::array();
  for (const auto& link : source.section.links) {
    Json rows = Json::array();
    for (const auto& row : link.rows) {
      if (auto shown = row_of(link, row); !shown.is_null()) rows.push_back(std::move(shown));
    }
    if (rows.empty()) continue;
    panels.push_back({{"title", fmt::format("{}: {}", source.section.title, link.link)},
                      {"link", link.link},
                      {"rows", std::move(rows)}});
  }
  return panels;
}

}  // namespace pacbench::figures
