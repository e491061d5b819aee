#include <fmt/format.h>
#include <fmt/ranges.h>

#include "analysis/export/formats.h"
#include "analysis/report/words.h"

namespace pacbench::exports {
namespace {

void add(Benchmark& benchmark, const char* name, const char* unit,
         const std::optional<statistics::Spread>& spread) {
  if (!spread) return;
  benchmark.measures.push_back({name, unit, spread->median, spread->minimum, spread->maximum});
}

/// 1 - an accuracy, so that smaller is better.
std::optional<statistics::Spread> error(const std::optional<statistics::Spread>& accuracy) {
  if (!accuracy) return std::nullopt;
  return statistics::Spread{1 - accuracy->median, 1 - accuracy->maximum, 1 - accuracy->minimum};
}

/// Adds the time or iterations to a target, unless half of the seeds or more missed it.
void add(Benchmark& benchmark, const char* name, const char* unit, const std::string& target,
         const statistics::CensoredSpread& spread) {
  if (!spread.median) return;
  benchmark.measures.push_back(
      {fmt::format("{}-{}", name, target), unit, *spread.median, spread.minimum, spread.maximum});
}

void add(BenchmarkSuite& suite, Benchmark& benchmark, const report::TargetSummary& target) {
  const auto& count = target.iterations;
  if (count.total == 0) return;
  const auto name = short_name(target.target);
  add(benchmark, "tta", "s", name, target.tta_s);
  add(benchmark, "iterations", "iterations", name, count);
  if (!count.median) {
    suite.left_out.push_back(
        fmt::format("{0}: tta-{1}, iterations-{1}: only {2} of {3} seeds reached the target",
                    benchmark.name, name, count.reached, count.total));
  }
  const auto missed = static_cast<double>(count.total - count.reached) / count.total;
  benchmark.measures.push_back({"missed-" + name, "share", missed, {}, {}});
}

void add(BenchmarkSuite& suite, const report::ReportRow& row, const std::string& name) {
  if (row.done == 0) {
    suite.left_out.push_back(name + ": none of its cells is done");
    return;
  }
  if (row.suspect) {
    suite.left_out.push_back(name + ": its link was not as declared (suspect)");
    return;
  }
  Benchmark benchmark{name,
                      fmt::format("seeds {}; done {}, failed {}, unfinished {}; host {}",
                                  fmt::join(row.seeds, ", "), row.done, row.failed, row.unfinished,
                                  report::host_verdict_word(row.cpu_bound)),
                      {}};
  add(benchmark, "time-per-iteration", "s", row.time_per_iteration_s);
  add(benchmark, "encode", "s", row.encode_s);
  for (const auto& target : row.targets) add(suite, benchmark, target);
  add(benchmark, "final-error", "share", error(row.final_accuracy));
  add(benchmark, "payload-bytes", "bytes", row.payload_bytes_per_iteration);
  add(benchmark, "wire-bytes", "bytes", row.measured_bytes_per_iteration);
  suite.benchmarks.push_back(std::move(benchmark));
}

}  // namespace

BenchmarkSuite benchmark_suite(const report::ReportSection& section) {
  BenchmarkSuite suite;
  for (const auto& link : section.links) {
    for (const auto& row : link.rows) {
      add(suite, row, fmt::format("{}/{}/{}", section.name, row.label, link.link));
    }
  }
  return suite;
}

ExportedFile to_bencher(const BenchmarkSuite& suite) {
  auto document = Json::object();
  for (const auto& benchmark : suite.benchmarks) {
    auto& measures = document[benchmark.name];
    for (const auto& measure : benchmark.measures) {
      Json node{{"value", measure.value}};
      if (measure.lower) node["lower_value"] = *measure.lower;
      if (measure.upper) node["upper_value"] = *measure.upper;
      measures[measure.name] = std::move(node);
    }
  }
  return {json_text(document, 2) + '\n', suite.left_out};
}

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
