#include "harness/compose/simulated_memory.h"

#include <fmt/format.h>

#include <algorithm>

#include "contract/catalogue/choice_json.h"
#include "contract/network/link_facts.h"
#include "contract/worker/gloo.h"

namespace pacbench::compose {
namespace {

// These give at least 1.7 times the memory that docs/fidelity/simulated.md has measured.
constexpr std::int64_t kSimulatorBytes = 60'000'000;
constexpr std::int64_t kSimulatedWorkerBytes = 100'000;
constexpr std::int64_t kSimulatedMessageBytes = 1'200;

/// Messages of one rank that are under way at the same time in a collective: two in a ring, on
/// average fewer in a tree, and in an all-to-all one to each other rank.
std::int64_t messages_at_once(const MethodExchanges::Step& step, int workers) {
  constexpr std::int64_t kInARing = 2;
  if (step.op != "all_to_all") return kInARing;
  return (step.ranks.empty() ? workers : static_cast<std::int64_t>(step.ranks.size())) - 1;
}

std::int64_t most_at_once(const MethodExchanges& exchanges) {
  std::int64_t most = 0;
  const auto look = [&](const MethodExchanges::Bucket& bucket) {
    for (const auto& step : bucket.steps) {
      most = std::max(most, messages_at_once(step, exchanges.workers));
    }
  };
  // Only rank 0 is looked at: every rank of an all-to-all sends to all other ranks of it.
  for (std::int64_t number = 1; number <= exchanges.period(); ++number) {
    const auto iteration = exchanges.iteration_of(0, number);
    for (const auto& bucket : iteration.buckets) look(bucket);
    for (const auto* other : {&iteration.beside, &iteration.step, &iteration.weights}) look(*other);
  }
  return most;
}

}  // namespace

SimulatedMemory estimate_simulated_memory(const Scenario& scenario) {
  SimulatedMemory most;
  for (const auto& method : scenario.methods) {
    for (const auto& link : scenario.network.links) {
      const auto* exchanges =
          find_exchanges(scenario.compose->profile.exchanges, choice_to_json(method.choice),
                         scenario.workers, link_facts(link));
      if (exchanges == nullptr) continue;
      const auto messages = gloo::kThreads * scenario.workers * most_at_once(*exchanges);
      const auto bytes = kSimulatorBytes + scenario.workers * kSimulatedWorkerBytes +
                         messages * kSimulatedMessageBytes;
      if (bytes > most.bytes) most = {messages, bytes, method.label};
    }
  }
  return most;
}

void require_memory_to_simulate(const Scenario& scenario, std::int64_t available_bytes) {
  const auto need = estimate_simulated_memory(scenario);
  if (need.bytes <= available_bytes) return;
  constexpr double kGigabyte = 1e9;
  throw ConfigError{
      scenario.name,
      {{"/workers",
        fmt::format("{} workers of method {} have up to {} messages under way, whose simulation "
                    "needs about {:.1f} GB, but only {:.1f} GB are available; use fewer workers, "
                    "or a method that sends in a ring or a tree",
                    scenario.workers, need.label, need.messages,
                    static_cast<double>(need.bytes) / kGigabyte,
                    static_cast<double>(available_bytes) / kGigabyte)}}};
}

}  // namespace pacbench::compose
