#include <fmt/format.h>

#include "harness/figures/panels.h"
#include "harness/figures/titles.h"
#include "harness/statistics/spread_json.h"

namespace pacbench {

Json byte_panels(const FigureSource& source) {
  Json panels = Json::array();
  for (const auto& link : source.section.links) {
    Json rows = Json::array();
    for (const auto& row : link.rows) {
      if (!row.measured_bytes_per_iteration || !row.expected_bytes_per_iteration) continue;
      const auto expected = row.expected_bytes_per_iteration->median;
      const auto off =
          expected > 0 ? Json(row.measured_bytes_per_iteration->median / expected - 1) : Json();
      rows.push_back({{"label", row.label},
                      {"measured_bytes", to_json(row.measured_bytes_per_iteration)},
                      {"expected_bytes", to_json(row.expected_bytes_per_iteration)},
                      {"payload_bytes", to_json(row.payload_bytes_per_iteration)},
                      {"off", off}});
    }
    if (rows.empty()) continue;
    panels.push_back({{"title", fmt::format("{}: {}", source.section.title, link.link)},
                      {"link", link.link},
                      {"rows", std::move(rows)}});
  }
  return panels;
}

}  // namespace pacbench
