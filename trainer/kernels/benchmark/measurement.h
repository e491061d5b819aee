#pragma once

#include <benchmark/benchmark.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "trainer/kernels/benchmark/cases.h"

namespace pacbench::trainer {

/// Gathers for every repetition the mean seconds of one run of the kernel. On a CPU these are CPU
/// time, which contains no time of other processes; on a GPU they are the time that passed.
class Measurements : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>& runs) override;

  /// The median of the repetitions of benchmark `name`; nothing when `name` was filtered out.
  std::optional<double> seconds(const std::string& name) const;

 private:
  std::map<std::string, std::vector<double>> seconds_;
};

/// Registers the case with Google Benchmark; with a case of the plain instruction set or of the
/// GPU, also a memcpy that reads and writes as many bytes.
void register_benchmarks(const Case& one);

/// The measurement of one case.
struct Result {
  Case measured;
  double seconds = 0;
  double memcpy_seconds = 0;

  double of_memcpy() const { return memcpy_seconds / seconds; }
  double elements_per_second() const { return static_cast<double>(measured.elements) / seconds; }
  bool has_target() const;
  bool reaches_target() const;
};

/// The result of a case; nothing when the case or its memcpy was filtered out.
std::optional<Result> result_of(const Case& one, const Measurements& measurements);

/// Prints one line for each result, with speeds, the ratio to memcpy, and the target.
void print_table(const std::vector<Result>& results);

}  // namespace pacbench::trainer
