#pragma once

#include <string>
#include <vector>

#include "analysis/export/benchmarks.h"
#include "analysis/export/exported_run.h"

namespace pacbench::exports {

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

}  // namespace pacbench::exports
