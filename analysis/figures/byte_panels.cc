#include "analysis/figures/panels.h"
#include "analysis/report/words.h"
#include "harness/statistics/spread_json.h"

namespace pacbench::figures {
namespace {

Json bytes_of(const report::ReportRow& row) {
  if (!row.measured_bytes_per_iteration || !row.expected_bytes_per_iteration) return nullptr;
  const auto off = report::share_of_bytes_off(row);
  return {{"label", row.label},
          {"measured_bytes", to_json(row.measured_bytes_per_iteration)},
          {"expected_bytes", to_json(row.expected_bytes_per_iteration)},
          {"payload_bytes", to_json(row.payload_bytes_per_iteration)},
          {"off", off ? Json(*off) : Json()}};
}

}  // namespace

Json byte_panels(const FigureSource& source) {
  return link_panels(source,
                     [](const auto&, const report::ReportRow& row) { return bytes_of(row); });
}

}  // namespace pacbench::figures
