#pragma once

#include <cstdint>
#include <vector>

#include "contract/network/link_facts.h"
#include "contract/worker/worker_spec.h"
#include "trainer/collectives/collective.h"

namespace pacbench::trainer {

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
