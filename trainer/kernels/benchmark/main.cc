// pacbench-kernels: compares the speed of the kernels with that of a memcpy of as many bytes in the
// same run.
//
//   pacbench-kernels [--check] [--benchmark_filter=REGEX] [Google Benchmark's other options]
//
// Where there is a GPU, its kernels are measured too, against a copy within its memory. Kernels run
// on two sizes: a parameter that stays in a core's own cache, and the last block of ResNet-18,
// which does not. Targets are set for the block alone. With --check the exit code is 1 when a
// target is missed, and when no kernel with a target was measured.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <map>
#include <optional>

#include "trainer/kernels/benchmark/cases.h"

namespace pacbench::trainer {
namespace {

constexpr std::int64_t kInCache = 32 << 10;
/// Two convolutions of 512 · 512 · 3 · 3 and their batch norms.
constexpr std::int64_t kResNet18Block = 4720640;

/// Gathers for every repetition the mean seconds of one run of the kernel. On a CPU these are CPU
/// time, which contains no time of other processes; on a GPU they are the time that passed.
class Measurements : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>& runs) override {
    for (const auto& run : runs) {
      if (run.run_type != Run::RT_Iteration || run.iterations == 0) continue;
      const bool of_gpu = !run.run_name.time_type.empty();
      const auto spent_s = of_gpu ? run.real_accumulated_time : run.cpu_accumulated_time;
      seconds_[run.run_name.function_name].push_back(spent_s / static_cast<double>(run.iterations));
    }
  }

  /// The median of the repetitions of benchmark `name`; nothing when `name` was filtered out.
  std::optional<double> seconds(const std::string& name) const {
    const auto found = seconds_.find(name);
    if (found == seconds_.end()) return std::nullopt;
    auto times = found->second;
    const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
    std::nth_element(times.begin(), middle, times.end());
    return *middle;
  }

 private:
  std::map<std::string, std::vector<double>> seconds_;
};

/// The measurement of one case.
struct Result {
  Case measured;
  double seconds = 0;
  double memcpy_seconds = 0;

  double of_memcpy() const { return memcpy_seconds / seconds; }
  double elements_per_second() const { return static_cast<double>(measured.elements) / seconds; }
  bool has_target() const {
    return measured.target.of_memcpy > 0 || measured.target.elements_per_second > 0;
  }
  bool reaches_target() const {
    return of_memcpy() >= measured.target.of_memcpy &&
           elements_per_second() >= measured.target.elements_per_second;
  }
};

std::string name_of(const Case& one) {
  return fmt::format("{}/{}/{}", one.kernel, one.processor.name, one.elements);
}

std::string memcpy_name_of(const Case& one) {
  return fmt::format("memcpy{} for {}/{}",
                     one.processor.memory == Memory::kGpu ? " on the GPU" : "", one.kernel,
                     one.elements);
}

/// Times `run`. On a GPU it also waits, since a GPU's kernel goes on after its call.
void measure(benchmark::State& state, Memory memory, const std::function<void()>& run) {
  for (auto _ : state) {
    run();
    if (memory == Memory::kGpu) raw::wait_for_gpu();
    benchmark::ClobberMemory();
  }
}

void measure_memcpy(benchmark::State& state, Memory memory, std::int64_t bytes) {
  const auto half = static_cast<std::size_t>(bytes / 2);
  const LineAllocator<char> allocator{memory};
  const Lines<char> from(half, 1, allocator);
  Lines<char> to(half, 2, allocator);
  measure(state, memory, [&] {
    if (memory == Memory::kGpu) {
      raw::copy_on_gpu(to.data(), from.data(), half);
    } else {
      std::memcpy(to.data(), from.data(), half);
    }
  });
}

void keep_time_of(benchmark::internal::Benchmark* registered, Memory memory) {
  if (memory == Memory::kGpu) registered->UseRealTime();
}

/// Registers the case with Google Benchmark; with a case of the plain instruction set or of the
/// GPU, also a memcpy that reads and writes as many bytes.
void register_benchmarks(const Case& one) {
  const auto memory = one.processor.memory;
  keep_time_of(benchmark::RegisterBenchmark(name_of(one).c_str(), measure, memory, one.run),
               memory);
  // The memcpy is the same for every instruction set, so it is registered with the plain one alone.
  if (one.processor.isa != raw::Isa::kPlain) return;
  keep_time_of(
      benchmark::RegisterBenchmark(memcpy_name_of(one).c_str(), measure_memcpy, memory, one.bytes),
      memory);
}

std::string target_of(const Result& result) {
  const auto& target = result.measured.target;
  if (target.of_memcpy > 0) {
    return fmt::format("{} of memcpy {}", target.of_memcpy,
                       result.reaches_target() ? "reached" : "MISSED");
  }
  if (target.elements_per_second > 0) {
    return fmt::format("{} G elements/s {}", target.elements_per_second * 1e-9,
                       result.reaches_target() ? "reached" : "MISSED");
  }
  return "";
}

/// The result of a case; nothing when the case or its memcpy was filtered out.
std::optional<Result> result_of(const Case& one, const Measurements& measurements) {
  const auto seconds = measurements.seconds(name_of(one));
  const auto memcpy_seconds = measurements.seconds(memcpy_name_of(one));
  if (!seconds || !memcpy_seconds) return std::nullopt;
  return Result{one, *seconds, *memcpy_seconds};
}

void print_table(const std::vector<Result>& results) {
  fmt::print("{:<24} {:<8} {:>9} {:>8} {:>8} {:>10} {:>13}  {}\n", "kernel", "with", "elements",
             "GB/s", "memcpy", "of memcpy", "G elements/s", "target");
  for (const auto& result : results) {
    const auto& measured = result.measured;
    const auto gigabytes = static_cast<double>(measured.bytes) * 1e-9;
    fmt::print("{:<24} {:<8} {:>9} {:>8.2f} {:>8.2f} {:>10.2f} {:>13.3f}  {}\n", measured.kernel,
               measured.processor.name, measured.elements, gigabytes / result.seconds,
               gigabytes / result.memcpy_seconds, result.of_memcpy(),
               result.elements_per_second() * 1e-9, target_of(result));
  }
}

/// Takes `--check` out of the arguments. Returns whether it was there.
bool take_check(std::vector<char*>& arguments) {
  return std::erase_if(arguments, [](const char* argument) {
           return std::strcmp(argument, "--check") == 0;
         }) > 0;
}

int missed(const std::vector<Result>& results) {
  int targets = 0;
  int misses = 0;
  for (const auto& result : results) {
    if (!result.has_target()) continue;
    ++targets;
    if (!result.reaches_target()) ++misses;
  }
  if (targets == 0) {
    fmt::print(stderr, "pacbench-kernels: no kernel with a target was measured\n");
    return 1;
  }
  fmt::print("{} of {} targets reached\n", targets - misses, targets);
  return misses;
}

int run(std::vector<char*> arguments) {
  const bool check = take_check(arguments);
  // These defaults come before the user's own options, which override them. Runs are interleaved,
  // so that what disturbs the machine for a while disturbs kernels and memcpy alike.
  char repetitions[] = "--benchmark_repetitions=5";
  char interleaved[] = "--benchmark_enable_random_interleaving=true";
  char shortest[] = "--benchmark_min_time=0.02";
  arguments.insert(arguments.begin() + 1, {repetitions, interleaved, shortest});
  int count = static_cast<int>(arguments.size());
  benchmark::Initialize(&count, arguments.data());
  if (benchmark::ReportUnrecognizedArguments(count, arguments.data())) return 2;

  std::optional<raw::OnStream> stream;
  if (raw::no_gpu().empty()) stream.emplace(0, nullptr);
  auto all = cases(kInCache, /*with_targets=*/false);
  auto large = cases(kResNet18Block, /*with_targets=*/true);
  all.insert(all.end(), large.begin(), large.end());
  for (const auto& one : all) register_benchmarks(one);
  Measurements measurements;
  benchmark::RunSpecifiedBenchmarks(&measurements);

  std::vector<Result> results;
  for (const auto& one : all) {
    if (auto result = result_of(one, measurements)) results.push_back(*std::move(result));
  }
  print_table(results);
  const int misses = missed(results);
  return check && misses > 0 ? 1 : 0;
}

}  // namespace
}  // namespace pacbench::trainer

int main(int argc, char** argv) { return pacbench::trainer::run({argv, argv + argc}); }
