// Prints median times of making a fabric, of taking it down and of reading a worker's counters. See
// tools/experiments/measure-fabric.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <exception>
#include <filesystem>
#include <functional>
#include <set>
#include <thread>

#include "base/clock.h"
#include "tests/emulation/daemon_client.h"

namespace {

using namespace pacbench;

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

double elapsed_ms(const std::function<void()>& action) {
  const auto start = monotonic_ns();
  action();
  return seconds(monotonic_ns() - start) * 1e3;
}

struct Round {
  double up_ms;
  double down_ms;
  double counters_us;
};

/// Up: from starting the daemon to the reply that says every link has been read back. Down: from
/// hanging up to the end of the daemon and of one program in each worker's namespace.
Round measure(int workers, double rate_mbit) {
  Round round{};
  std::optional<DaemonClient> daemon;
  round.up_ms = elapsed_ms([&] {
    daemon.emplace();
    daemon->create(star(workers, rate_mbit));
  });
  round.counters_us = std::stod(daemon->run_inside(0, {PACBENCH_PROBE, "time-counters", "2000"}));
  for (int slot = 0; slot < workers; ++slot) {
    daemon->start_inside(slot, {"/bin/sleep", "600"}, STDERR_FILENO);
  }
  round.down_ms = elapsed_ms([&] {
    daemon->hang_up();
    daemon->wait();
  });
  return round;
}

void print_medians(int workers, double rate_mbit, int rounds) {
  std::vector<double> up;
  std::vector<double> down;
  std::vector<double> counters;
  for (int i = 0; i < rounds; ++i) {
    const auto round = measure(workers, rate_mbit);
    up.push_back(round.up_ms);
    down.push_back(round.down_ms);
    counters.push_back(round.counters_us);
  }
  fmt::print(
      "{:3} workers at {} Mbit/s: up {:.0f} ms, down {:.1f} ms, both counters of a worker "
      "{:.1f} us (medians of {})\n",
      workers, rate_mbit, median(up), median(down), median(counters), rounds);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    fmt::print(stderr, "expected: {} ROUNDS WORKERS...\n", argv[0]);
    return 2;
  }
  try {
    for (int i = 2; i < argc; ++i) print_medians(std::stoi(argv[i]), 100, std::stoi(argv[1]));
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "measure-fabric: {}\n", error.what());
    return 1;
  }
}
