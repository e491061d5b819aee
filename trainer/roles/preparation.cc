#include "trainer/roles/preparation.h"

#include <ATen/Functions.h>

#include <algorithm>

#include "base/clock.h"

namespace pacbench::trainer {

double scheduling_floor_ms(ExchangeEngine& engine) {
  constexpr int kRounds = 11;
  std::vector<double> times_ms;
  engine.run([&](Group& group) -> Task<> {
    auto tiny = at::zeros({1}, group.device());
    for (int round = 0; round < kRounds; ++round) {
      const auto start_ns = emulated_ns();
      co_await group.all_reduce(tiny);
      times_ms.push_back(seconds(emulated_ns() - start_ns) * 1e3);
    }
  });
  std::nth_element(times_ms.begin(), times_ms.begin() + kRounds / 2, times_ms.end());
  return times_ms[kRounds / 2];
}

}  // namespace pacbench::trainer
