#include "trainer/kernels/benchmark/measurement.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "trainer/kernels/benchmark/data.h"

namespace pacbench::trainer {
namespace {

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

}  // namespace

void Measurements::ReportRuns(const std::vector<Run>& runs) {
  for (const auto& run : runs) {
    if (run.run_type != Run::RT_Iteration || run.iterations == 0) continue;
    const bool of_gpu = !run.run_name.time_type.empty();
    const auto spent_s = of_gpu ? run.real_accumulated_time : run.cpu_accumulated_time;
    seconds_[run.run_name.function_name].push_back(spent_s / static_cast<double>(run.iterations));
  }
}

std::optional<double> Measurements::seconds(const std::string& name) const {
  const auto found = seconds_.find(name);
  if (found == seconds_.end()) return std::nullopt;
  auto times = found->second;
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::nth_element(times.begin(), middle, times.end());
  return *middle;
}

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

bool Result::has_target() const {
  return measured.target.of_memcpy > 0 || measured.target.elements_per_second > 0;
}

bool Result::reaches_target() const {
  return of_memcpy() >= measured.target.of_memcpy &&
         elements_per_second() >= measured.target.elements_per_second;
}

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

}  // namespace pacbench::trainer
