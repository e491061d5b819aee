#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/export/exported_run.h"
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

/// A file in another tool's format, and texts that say which parts of the run it leaves out.
struct ExportedFile {
  std::string text;
  std::vector<std::string> left_out;
};

/// JSON of Google Benchmark 1.7, as its compare.py reads it: one row per cell and time, the seeds
/// as repetitions. There is no row for a suspect cell, for a cell that is not done, or for a target
/// that was not reached. Throws ConfigError for a run of mode learn, in which nothing was timed.
ExportedFile to_google_benchmark(const ExportedRun& run);

/// Bencher Metric Format, version 0 (https://bencher.dev/bmf.json).
ExportedFile to_bencher(const BenchmarkSuite& suite);

/// The input of the GitHub action benchmark-action/github-action-benchmark, its format
/// customSmallerIsBetter: a list of {name, unit, value, range, extra}.
ExportedFile to_github_action(const BenchmarkSuite& suite);

/// A function that writes the next piece of a file.
using Write = std::function<void(std::string_view)>;

/// Writes the timeline of a run as Chrome's trace JSON, for Perfetto (https://ui.perfetto.dev),
/// cell after cell. The run is a process with a slice for each cell, and counters of the accuracy
/// and of the trunks' declared rates. Each rank is a process with a track of what it computes and
/// one for each bucket's exchange. Its counters are the declared rates of its link, the rates at
/// which it sent and received, and the bytes of its incomplete collectives. In mode learn there are
/// no rates. Traces are read and written line by line. Cells without iterations are left out.
/// Throws ConfigError when no cell has any, or when a line cannot be read, naming the file and
/// line.
void write_perfetto(const ExportedRun& run, const Write& write);

}  // namespace pacbench::exports
