// Simulates one cell of mode simulate. Reads the task (contract/worker/simulation_spec.h) from
// standard input. Writes the events of all ranks to standard output, one JSON object a line.
#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <iostream>
#include <iterator>

#include "base/clock.h"
#include "contract/worker/event_kind.h"
#include "contract/worker/worker_event.h"
#include "simulate/platform/simgrid_network.h"
#include "simulate/ranks/simulation.h"

namespace {

using namespace pacbench;

void tell(const Json& event) {
  fmt::print("{}\n", event.dump());
  std::fflush(stdout);
}

/// Passes all calls on to a network. Writes an alive event for each rank, at most every 0.5 s, so
/// that nobody takes a long simulation for one that has stopped.
class TellingNetwork final : public simulate::Network {
 public:
  TellingNetwork(simulate::Network& network, int workers) : network_{network}, workers_{workers} {}

  double now_s() const override { return network_.now_s(); }
  void after(double delay_s, simulate::Then then) override {
    note();
    network_.after(delay_s, std::move(then));
  }
  const simulate::Path& path(int from, int to) override { return network_.path(from, to); }
  const simulate::Service& service(int direction) override { return network_.service(direction); }

 private:
  void note() {
    if (++calls_ % kCallsBetween != 0 || seconds(monotonic_ns() - told_ns_) < kSilenceS) return;
    told_ns_ = monotonic_ns();
    for (int rank = 0; rank < workers_; ++rank) tell(to_json(AliveEvent{rank}));
  }

  static constexpr std::int64_t kCallsBetween = 1000;
  static constexpr double kSilenceS = 0.5;  // the shortest timeout_s of a scenario is 1

  simulate::Network& network_;
  int workers_;
  std::int64_t calls_ = 0;
  std::int64_t told_ns_ = monotonic_ns();
};

void simulate_cell(const Json& document) {
  const auto spec = simulation_spec_from_json(document);
  simulate::SimGridNetwork network{spec.links, spec.model};
  TellingNetwork telling{network, spec.workers};
  simulate::Simulation simulation{spec, telling, tell};
  simulation.start();
  network.run();
  auto counters = netd::to_json(simulation.counters(network.directions()));
  counters["event"] = EventKind::kCounters;
  tell(counters);
  simulation.finish();
}

}  // namespace

int main() {
  try {
    const std::string text{std::istreambuf_iterator<char>{std::cin}, {}};
    simulate_cell(parse_json("standard input", text));
    return 0;
  } catch (const std::exception& error) {
    tell(to_json(FailedEvent{0, 0, error.what()}));
    return 1;
  }
}
