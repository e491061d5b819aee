// pacbench-kernels: compares the speed of the kernels with that of a memcpy of as many bytes in the
// same run.
//
//   pacbench-kernels [--check] [--benchmark_filter=REGEX] [Google Benchmark's other options]
//
// Where there is a GPU, its kernels are measured too, against a copy within its memory. Kernels run
// on two sizes: a parameter that stays in a core's own cache, and the last block of ResNet-18,
// which does not. Targets are set for the block alone. With --check the exit code is 1 when a
// target is missed, and when no kernel with a target was measured.
#include <fmt/format.h>

#include <cstdio>
#include <cstring>

#include "trainer/kernels/benchmark/measurement.h"
#include "trainer/kernels/cuda_kernels.h"

namespace pacbench::trainer {
namespace {

constexpr std::int64_t kInCache = 32 << 10;
/// Two convolutions of 512 · 512 · 3 · 3 and their batch norms.
constexpr std::int64_t kResNet18Block = 4720640;

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
