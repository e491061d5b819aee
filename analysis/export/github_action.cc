#include <fmt/format.h>

#include "analysis/export/formats.h"

namespace pacbench::exports {

ExportedFile to_github_action(const BenchmarkSuite& suite) {
  auto rows = Json::array();
  for (const auto& benchmark : suite.benchmarks) {
    for (const auto& measure : benchmark.measures) {
      Json row{{"name", fmt::format("{}/{}", benchmark.name, measure.name)},
               {"unit", measure.unit},
               {"value", measure.value},
               {"extra", benchmark.note}};
      // The format wants the range as a string, which is shown unchanged.
      if (measure.lower && measure.upper) {
        row["range"] = fmt::format("{:.6g} to {:.6g}", *measure.lower, *measure.upper);
      }
      rows.push_back(std::move(row));
    }
  }
  return {json_text(rows, 2) + '\n', suite.left_out};
}

}  // namespace pacbench::exports
