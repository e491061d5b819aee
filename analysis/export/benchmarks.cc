#include "analysis/export/benchmarks.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "analysis/report/verdicts.h"

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
  add(benchmark, "tta", "s", short_name(target.target), target.tta_s);
  add(benchmark, "iterations", "iterations", short_name(target.target), count);
  if (!count.median) {
    suite.left_out.push_back(fmt::format(
        "{}: tta-{}, iterations-{}: only {} of {} seeds reached the target", benchmark.name,
        short_name(target.target), short_name(target.target), count.reached, count.total));
  }
  const auto missed = static_cast<double>(count.total - count.reached) / count.total;
  benchmark.measures.push_back(
      {fmt::format("missed-{}", short_name(target.target)), "share", missed, {}, {}});
}

std::string note(const report::ReportRow& row) {
  return fmt::format("seeds {}; done {}, failed {}, unfinished {}; host {}",
                     fmt::join(row.seeds, ", "), row.done, row.failed, row.unfinished,
                     report::host_verdict_word(row.cpu_bound));
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
  Benchmark benchmark{name, note(row), {}};
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

}  // namespace pacbench::exports
