#pragma once

#include <cstdint>
#include <vector>

#include "contract/fabric/link_facts.h"
#include "contract/worker/worker_spec.h"
#include "trainer/collectives/collective.h"

namespace pacbench::trainer {

/// The bytes and messages of one exchange, as a method declares them.
struct ExchangeCost {
  std::int64_t sent_bytes = 0;  ///< by the rank that sends most
  double wire_s = 0;            ///< until the last rank has ended, by expected_wire_s
};

/// The cost of calls: `calls[r]` are those of rank r. All ranks have as many, in one order, some of
/// them in sub-groups. A call begins when all ranks of its group have reached it.
ExchangeCost cost_of(const std::vector<std::vector<PlannedCollective>>& calls,
                     const LinkFacts& link);

/// Role exchange-costs: what each layer of the workload's model, a module with parameters of its
/// own, would take to exchange by itself among `workers`, for each of the specification's exchanges
/// in its last iteration; nothing is sent or computed. Then one line on standard output: {"event":
/// "costs", "layers": [{name, elements}], "exchanges": [{reason, costs: [{sent_bytes, wire_s}]}]},
/// where a method without costs that are known beforehand has the reason in their place.
void run_exchange_costs(const WorkerSpec& spec);

}  // namespace pacbench::trainer
