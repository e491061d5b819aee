#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/report/report.h"

namespace pacbench::exports {

/// A number to watch from commit to commit. Smaller is better for every measure, so that one
/// threshold fits all.
struct Measure {
  std::string name;             ///< "time-per-iteration", "tta-0.95"
  std::string unit;             ///< "s", "iterations", "bytes" or "share"
  double value = 0;             ///< median over the seeds, or the share that missed a target
  std::optional<double> lower;  ///< smallest of the seeds; absent for the share that missed
  std::optional<double> upper;  ///< largest; absent also where a seed never reached the target
};

/// One method over one link.
struct Benchmark {
  std::string name;  ///< "wan100/topk-keep1%/100Mbps": scenario, label, link
  std::string note;  ///< seeds, numbers of cells and host verdict, in words
  std::vector<Measure> measures;
};

/// The numbers of a run for services of continuous benchmarking. `left_out` says in words what is
/// missing and why. It names rows without a done cell, and suspect rows (their links were not as
/// declared). It also names times and iterations to targets that half of the seeds or more missed.
struct BenchmarkSuite {
  std::vector<Benchmark> benchmarks;
  std::vector<std::string> left_out;
};

BenchmarkSuite benchmark_suite(const report::ReportSection& section);

}  // namespace pacbench::exports
