#pragma once

#include <vector>

#include "contract/fabric/fabric_spec.h"
#include "harness/record/link_probe.h"

namespace pacbench::record {

/// The flows that a probe measures, with the values that arithmetic expects. Every worker sends to
/// the next one.
///
/// All at once, but for flows that TCP could not keep up beside each other on a perfect network
/// either. Where a flow is faster on its way into the network than in the middle of it, its data
/// stand in a queue there, and acknowledgements that pass that queue wait: who gets them late and
/// in heaps opens its window over seconds only. So a flow and those whose acknowledgements would
/// wait for it go in rounds, one after the other. Where there is more than one round, a last one
/// has all flows at once, each paced just below what its links carry, so that no queue stands: it
/// shows whether links carry both directions at the same time.
///
/// Flows over workers' links alone that are there to carry anything (edge_mbit of chain3 and groups
/// as it is by default) are left out: nothing is declared that they could check, and as fast as
/// this host can make them they would take the CPUs from the flows over trunks.
std::vector<ProbedFlow> planned_flows(const netd::CreateRequest& request);

/// In how many rounds they go.
int rounds(const std::vector<ProbedFlow>& flows);

/// TCP fills the links of this fabric within seconds: no delay, jitter, loss or reordering.
bool is_plain(const netd::CreateRequest& request);

/// The longest that the network delays a packet to the next worker of the ring and its answer.
double longest_round_trip_ms(const netd::CreateRequest& request);

/// The smallest rate that a flow of the ring meets, in Mbit/s.
double bottleneck_mbit(const netd::CreateRequest& request);

}  // namespace pacbench::record
