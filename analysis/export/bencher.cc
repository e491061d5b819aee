#include "analysis/export/formats.h"

namespace pacbench::exports {
namespace {

Json to_json(const Measure& measure) {
  Json node{{"value", measure.value}};
  if (measure.lower) node["lower_value"] = *measure.lower;
  if (measure.upper) node["upper_value"] = *measure.upper;
  return node;
}

}  // namespace

ExportedFile to_bencher(const BenchmarkSuite& suite) {
  auto document = Json::object();
  for (const auto& benchmark : suite.benchmarks) {
    auto& measures = document[benchmark.name];
    for (const auto& measure : benchmark.measures) measures[measure.name] = to_json(measure);
  }
  return {json_text(document, 2) + '\n', suite.left_out};
}

}  // namespace pacbench::exports
