#include "harness/compose/memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <numeric>
#include <sstream>
#include <utility>
#include <vector>

#include "contract/catalogue/choice_json.h"
#include "contract/network/link_facts.h"
#include "contract/worker/gloo.h"

namespace pacbench::compose {
namespace {

constexpr std::int64_t kWorkerBytes = 300'000'000;
constexpr std::int64_t kFloat = 4;
constexpr std::int64_t kLargestElement = 8;  // int64
// GraSP holds a copy of the weights, gradients, Hessian products, scores and a copy of the scores
// to find their threshold (trainer/pruning).
constexpr std::int64_t kScoringBytes = 5 * kFloat;

// These give at least 1.7 times the memory that docs/fidelity/simulated.md has measured.
constexpr std::int64_t kSimulatorBytes = 60'000'000;
constexpr std::int64_t kSimulatedWorkerBytes = 100'000;
constexpr std::int64_t kSimulatedMessageBytes = 1'200;

struct Need {
  std::int64_t each = 0;   ///< bytes for each parameter, in every rank
  std::int64_t first = 0;  ///< more bytes for each parameter, in rank 0 alone
};

/// Returns how many bytes a method and the methods inside it keep for a parameter.
std::int64_t state_bytes(const MethodInfo& info, const Json& options, const Catalogue& catalogue) {
  std::int64_t bytes = kFloat * info.state_floats;
  if (!traits_of(info, options).stateless) bytes += kFloat;
  for (const auto& inner : inner_methods(info, options)) {
    const auto* inside = catalogue.find_method(inner.at("name"));
    if (inside != nullptr) bytes += state_bytes(*inside, inner, catalogue);
  }
  return bytes;
}

Need need_of(const MethodEntry& entry, const Catalogue& catalogue) {
  const auto* info = catalogue.find_method(entry.choice.name);
  Need need{3 * kFloat, 0};
  if (info == nullptr) return need;
  need.each += state_bytes(*info, entry.choice.options, catalogue);
  if (info->prunes) need = {need.each + 1, kScoringBytes};
  return need;
}

/// The profile's exchanges of each method over each link, with the method's label.
std::vector<std::pair<std::string, const MethodExchanges*>> replayed(const Scenario& scenario) {
  std::vector<std::pair<std::string, const MethodExchanges*>> all;
  for (const auto& method : scenario.methods) {
    for (const auto& link : scenario.network.links) {
      const auto* exchanges =
          find_exchanges(scenario.compose->profile.exchanges, choice_to_json(method.choice),
                         scenario.workers, link_facts(link));
      if (exchanges != nullptr) all.emplace_back(method.label, exchanges);
    }
  }
  return all;
}

/// All calls of a rank in an iteration, those outside of buckets included.
std::vector<MethodExchanges::Bucket> calls_of(const MethodExchanges& exchanges, int rank,
                                              std::int64_t number) {
  auto iteration = exchanges.iteration_of(rank, number);
  auto& all = iteration.buckets;
  for (auto* other : {&iteration.beside, &iteration.step, &iteration.weights}) {
    all.push_back(std::move(*other));
  }
  return std::move(all);
}

std::int64_t ranks_of(const MethodExchanges::Step& step, int workers) {
  return step.ranks.empty() ? workers : std::ssize(step.ranks);
}

/// Bytes for the payloads of a bucket of a replayed method, and for the buffers that receive the
/// payloads of other ranks.
std::int64_t replayed_bytes(const MethodExchanges::Bucket& bucket, int workers) {
  std::int64_t bytes = 0;
  for (const auto& step : bucket.steps) {
    bytes += step.payload_bytes;
    if (step.op == "all_gather") bytes += ranks_of(step, workers) * step.payload_bytes;
    if (step.op == "all_to_all" || step.op == "send_receive") {
      const auto received =
          std::accumulate(step.receive_counts.begin(), step.receive_counts.end(), std::int64_t{0});
      bytes += std::max(step.payload_bytes, received * kLargestElement);
    }
  }
  return bytes;
}

/// Bytes for the payloads and receive buffers of all collectives of the rank that needs most.
std::int64_t replayed_bytes(const MethodExchanges& exchanges) {
  std::int64_t most = 0;
  for (int rank = 0; rank < std::max<int>(1, static_cast<int>(exchanges.ranks.size())); ++rank) {
    std::int64_t bytes = 0;
    for (std::int64_t number = 1; number <= exchanges.period(); ++number) {
      for (const auto& bucket : calls_of(exchanges, rank, number)) {
        bytes += replayed_bytes(bucket, exchanges.workers);
      }
    }
    most = std::max(most, bytes);
  }
  return most;
}

MemoryEstimate estimate_replay(const Scenario& scenario) {
  const auto weights = kFloat * scenario.compose->profile.parameters();
  MemoryEstimate most;
  for (const auto& [label, exchanges] : replayed(scenario)) {
    const auto worker = kWorkerBytes + weights + replayed_bytes(*exchanges);
    const auto total = scenario.workers * worker;
    if (total > most.total_bytes) most = {worker, total, label};
  }
  return most;
}

/// Messages of one rank that are under way at the same time in a collective: two in a ring, on
/// average fewer in a tree, and in an all-to-all one to each other rank.
std::int64_t messages_at_once(const MethodExchanges::Step& step, int workers) {
  constexpr std::int64_t kInARing = 2;
  return step.op == "all_to_all" ? ranks_of(step, workers) - 1 : kInARing;
}

std::int64_t most_at_once(const MethodExchanges& exchanges) {
  std::int64_t most = 0;
  // Only rank 0 is looked at: every rank of an all-to-all sends to all other ranks of it.
  for (std::int64_t number = 1; number <= exchanges.period(); ++number) {
    for (const auto& bucket : calls_of(exchanges, 0, number)) {
      for (const auto& step : bucket.steps) {
        most = std::max(most, messages_at_once(step, exchanges.workers));
      }
    }
  }
  return most;
}

double gigabytes(std::int64_t bytes) { return 1e-9 * static_cast<double>(bytes); }

}  // namespace

MemoryEstimate estimate_memory(const Scenario& scenario, const Catalogue& catalogue) {
  if (replays_exchanges(*scenario.compose)) return estimate_replay(scenario);
  const auto parameters = scenario.compose->profile.parameters();
  MemoryEstimate most;
  for (const auto& method : scenario.methods) {
    const auto need = need_of(method, catalogue);
    const auto worker = kWorkerBytes + parameters * need.each;
    const auto total = scenario.workers * worker + parameters * need.first;
    if (total > most.total_bytes) most = {worker, total, method.label};
  }
  return most;
}

void require_memory(const Scenario& scenario, const Catalogue& catalogue,
                    std::int64_t available_bytes) {
  const auto need = estimate_memory(scenario, catalogue);
  if (need.total_bytes <= available_bytes) return;
  throw ConfigError{
      scenario.name,
      {{"/workers", fmt::format("{} workers of method {} need about {:.1f} GB each for {} "
                                "parameters, {:.1f} GB together, but only {:.1f} GB are available; "
                                "use fewer workers, a smaller model or more memory",
                                scenario.workers, need.label, gigabytes(need.worker_bytes),
                                scenario.compose->profile.parameters(), gigabytes(need.total_bytes),
                                gigabytes(available_bytes))}}};
}

SimulatedMemory estimate_simulated_memory(const Scenario& scenario) {
  SimulatedMemory most;
  for (const auto& [label, exchanges] : replayed(scenario)) {
    const auto messages = gloo::kThreads * scenario.workers * most_at_once(*exchanges);
    const auto bytes = kSimulatorBytes + scenario.workers * kSimulatedWorkerBytes +
                       messages * kSimulatedMessageBytes;
    if (bytes > most.bytes) most = {messages, bytes, label};
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

std::int64_t available_memory() {
  std::ifstream file{"/proc/meminfo"};
  for (std::string line; std::getline(file, line);) {
    std::istringstream words{line};
    std::string key;
    std::int64_t kib = 0;
    if (words >> key >> kib && key == "MemAvailable:") return kib * 1024;
  }
  return std::numeric_limits<std::int64_t>::max();
}

}  // namespace pacbench::compose
