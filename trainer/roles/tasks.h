#pragma once

#include <cstdint>
#include <vector>

#include "contract/network/link_facts.h"
#include "contract/worker/measure_spec.h"
#include "contract/worker/worker_spec.h"
#include "trainer/collectives/collective.h"

/// Tasks of a worker that trains no cell.
namespace pacbench::trainer {

/// Role measure: meets the other ranks as role train does and times all-reduces through the same
/// kinds of group, engine and threads. Then, where the specification asks for it, times small
/// all-reduces with all threads in the ordinary class. Writes an event for each size
/// (contract/worker/measure_spec.h) to the descriptor `events`. Throws when a rank fails or does
/// not come within the timeout.
void measure_all_reduces(const MeasureSpec& spec, int events);

/// Role profile: trains without exchanging anything, on a share of the cores, for max_iterations,
/// after three that are not timed. For each iteration it times the forward pass, the moments at
/// which buckets become ready, and the optimiser. Writes a sample of the middle iteration's
/// gradients to `checkpoint`, where that is given. Then prints one line on standard output:
/// {"event": "profiled", "buckets", "iterations", "counts"} as in a profile
/// (contract/profile/profile.h), and "flop_per_sample" of forward and backward. "counts" is null
/// where no sample is written. Throws what training throws.
void run_profile(const WorkerSpec& spec);

/// Role profile-exchanges: runs each of the specification's exchanges among `workers` ranks for at
/// least `compose`'s iterations, one bucket after another on all cores. Gradients come from
/// `compose`'s sample, and all pruning is done before. Where all ranks make the same calls in every
/// iteration, and only for gradients, rank 0 is alone; else all ranks take turns. Then prints one
/// line on standard output: {"event": "exchanges-profiled", "exchanges": […]}, with exchanges as in
/// a profile (contract/catalogue/method_exchanges.h). Methods that plan the same pruning share its
/// masks. Throws what the method throws. Throws std::runtime_error for a method whose buckets wait
/// for each other or that makes the optimiser's step itself. When all ranks take turns, also throws
/// it for too many ranks and for a method that prunes.
void run_exchange_profile(const WorkerSpec& spec);

/// The cost of one exchange, computed from the calls that a method declares.
struct ExchangeCost {
  std::int64_t sent_bytes = 0;  ///< by the rank that sends most
  double wire_s = 0;            ///< until the last rank has ended, by expected_wire_s
};

/// The cost of calls: `calls[r]` are those of rank r. All ranks have equally many calls in the same
/// order; some may be in sub-groups. A call begins when all ranks of its group have reached it.
ExchangeCost cost_of(const std::vector<std::vector<PlannedCollective>>& calls,
                     const LinkFacts& link, double round_trip_s = 0);

/// Role exchange-costs: computes what each layer of the workload's model would take to exchange by
/// itself among `workers`. A layer is a module with parameters of its own. Costs are those of the
/// last iteration, for each of the specification's exchanges. No link is used and no gradient
/// computed. Prints one line on standard output: {"event": "costs", "layers": [{name, elements}],
/// "exchanges": [{reason, costs: [{sent_bytes, wire_s}]}]}. An exchange whose costs are not known
/// beforehand has a reason and no costs.
void run_exchange_costs(const WorkerSpec& spec);

}  // namespace pacbench::trainer
