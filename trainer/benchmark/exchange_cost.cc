#include "trainer/benchmark/exchange_cost.h"

#include <time.h>

#include <algorithm>
#include <future>
#include <vector>

#include "base/clock.h"
#include "trainer/benchmark/model_buckets.h"
#include "trainer/collectives/identical_ranks.h"
#include "trainer/exchange/exchange_engine.h"

namespace pacbench::trainer {
namespace {

/// Iterations before the measured ones: they allocate what later ones use again.
constexpr int kUnmeasured = 2;

double cpu_s() {
  timespec spent{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &spent);
  return static_cast<double>(spent.tv_sec) + static_cast<double>(spent.tv_nsec) * 1e-9;
}

double median_of(std::vector<double> times_s) {
  const auto middle = times_s.begin() + std::ssize(times_s) / 2;
  std::nth_element(times_s.begin(), middle, times_s.end());
  return *middle;
}

void exchange_all(ExchangeEngine& engine, std::vector<at::Tensor>& gradients) {
  std::vector<std::promise<void>> ended(gradients.size());
  for (std::size_t bucket = 0; bucket < gradients.size(); ++bucket) {
    engine.exchange(static_cast<int>(bucket), gradients[bucket],
                    [&ended, bucket](std::exception_ptr failure) {
                      failure ? ended[bucket].set_exception(failure) : ended[bucket].set_value();
                    });
  }
  for (auto& bucket : ended) bucket.get_future().get();
}

}  // namespace

MeasuredCost exchange_cost(const Choice& method, const Layout& layout, const ExchangeRun& run) {
  auto made = make_method(method, {{"star", run.rate_mbit}});
  const bool whole = made->scope() == Method::Scope::kModel;
  ExchangeEngine engine{make_identical_ranks(run.ranks), std::move(made), 1};
  engine.settle(whole ? as_one_bucket(layout) : layout);
  std::vector<at::Tensor> originals;
  for (const auto& bucket : engine.layout()) originals.push_back(gradient_of(bucket));
  std::vector<double> wall_s;
  std::vector<double> spent_s;
  for (int i = 0; i < kUnmeasured + run.iterations; ++i) {
    std::vector<at::Tensor> gradients;
    for (const auto& original : originals) gradients.push_back(original.clone());
    engine.begin_iteration({run.first_iteration + i, 0.1, 0.1});
    const auto start_ns = monotonic_ns();
    const auto start_cpu_s = cpu_s();
    exchange_all(engine, gradients);
    engine.finish_iteration();
    if (i < kUnmeasured) continue;
    wall_s.push_back(seconds(monotonic_ns() - start_ns));
    spent_s.push_back(cpu_s() - start_cpu_s);
  }
  return {median_of(wall_s), median_of(spent_s), engine.expected_sent_bytes()};
}

}  // namespace pacbench::trainer
