#pragma once

#include <vector>

#include "contract/fabric/fabric_spec.h"
#include "harness/record/link_probe.h"

namespace pacbench::record {

/// The paths from every worker to the next one, and from the last to the first.
std::vector<plan::Path> ring_of(std::int64_t workers);

/// The flows that a probe measures, with the values that arithmetic expects. Every worker sends to
/// the next one.
///
/// Flows run at the same time, except those of which one would slow down another even on a perfect
/// network. Where a flow's first link is faster than a later one on its route, its data wait in a
/// queue, and acknowledgements that pass this queue wait too. A sender that gets acknowledgements
/// late and in bursts opens its window only over seconds. So a flow and those whose
/// acknowledgements would wait for it run in different rounds. Where there is more than one round,
/// a last one has all flows at once, each paced just below what its links carry, so that no queue
/// builds up. It shows whether links carry both directions at the same time.
///
/// Over links with delay, jitter, loss or reordering further rounds send datagrams along the same
/// paths, since TCP would not fill such links within a probe. So many flows are in a round that
/// together they are at most kMostDatagrams_mbit, which two cores send.
///
/// Flows are left out that cross only workers' links of the default rate (edge_mbit of chain3 and
/// groups), which are meant to carry anything. They could check nothing that is declared, and at
/// the host's full speed they would take the CPUs from the flows over trunks.
inline constexpr double kMostDatagrams_mbit = 500;
std::vector<ProbedFlow> planned_flows(const netd::CreateRequest& request);

/// The number of rounds in which the flows run.
int rounds(const std::vector<ProbedFlow>& flows);

/// Whether the links have no delay, jitter, loss or reordering, so that TCP fills them in seconds.
bool is_plain(const netd::CreateRequest& request);

/// The share of a link that is left for data where acknowledgements of another flow's data come the
/// same way: 1 where packets of several frames get one acknowledgement together, and so hardly any.
double share_beside_acknowledgements(const netd::CreateRequest& request);

/// The longest declared delay, in ms and without jitter, of a packet from a worker to the next one
/// of the ring and of its answer together.
double longest_round_trip_ms(const netd::CreateRequest& request);

/// The smallest wire rate, in Mbit/s, that arithmetic expects for a planned flow that is not paced.
double bottleneck_mbit(const netd::CreateRequest& request);

}  // namespace pacbench::record
