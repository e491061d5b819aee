#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/report/report.h"

namespace pacbench::exports {

/// A number to watch from commit to commit. All are such that smaller is better, so that one
/// threshold holds for every one of them.
struct Measure {
  std::string name;             ///< "time-per-iteration", "tta-0.95"
  std::string unit;             ///< "s", "bytes" or "share"
  double value = 0;             ///< median over the seeds
  std::optional<double> lower;  ///< smallest of the seeds
  std::optional<double> upper;  ///< largest; absent where a seed never reached the target
};

/// One method over one link.
struct Benchmark {
  std::string name;  ///< "wan100/topk-keep1%/100Mbps": scenario, label, link
  std::string note;  ///< of its seeds and verdicts, in words
  std::vector<Measure> measures;
};

/// The numbers of a run for services of continuous benchmarking, and in words what is left out and
/// why: rows without a cell that is done, suspect rows, whose times are not those of the declared
/// links, and times to targets that most seeds missed.
struct BenchmarkSuite {
  std::vector<Benchmark> benchmarks;
  std::vector<std::string> left_out;
};

BenchmarkSuite benchmark_suite(const report::ReportSection& section);

}  // namespace pacbench::exports
