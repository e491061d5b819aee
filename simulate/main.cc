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

/// A network that writes an alive event for each rank, at most every 0.5 s, so that nobody takes a
/// long simulation for one that has stopped.
class TellingNetwork final : public simulate::SimGridNetwork {
 public:
  explicit TellingNetwork(const SimulationSpec& spec)
      : SimGridNetwork{spec.links, spec.model}, workers_{spec.workers} {}

  void after(double delay_s, simulate::Then then) override {
    if (++calls_ % kCallsBetween == 0 && seconds(monotonic_ns() - told_ns_) >= kSilenceS) {
      told_ns_ = monotonic_ns();
      for (int rank = 0; rank < workers_; ++rank) tell(to_json(AliveEvent{rank}));
    }
    SimGridNetwork::after(delay_s, std::move(then));
  }

 private:
  static constexpr std::int64_t kCallsBetween = 1000;
  static constexpr double kSilenceS = 0.5;  // the shortest timeout_s of a scenario is 1

  int workers_;
  std::int64_t calls_ = 0;
  std::int64_t told_ns_ = monotonic_ns();
};

void simulate_cell(const Json& document) {
  const auto spec = simulation_spec_from_json(document);
  TellingNetwork network{spec};
  simulate::Simulation simulation{spec, network, tell};
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
