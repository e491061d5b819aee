#pragma once

#include <vector>

#include "contract/fabric/netd_protocol.h"
#include "harness/links/probing.h"
#include "harness/machine/meter.h"
#include "harness/record/link_probe.h"

namespace pacbench::probes {

/// Overflows the queues of the workers' own links, one after another, and measures for how long a
/// full one holds a packet. Nothing is measured where a queue elsewhere on the way may fill, where
/// packets are delayed or lost on purpose, and of queues longer than half a second. `meter` may be
/// null.
std::vector<record::ProbedQueue> measure_queues(links::Probing& probing,
                                                const netd::CreateRequest& request, Meter* meter);

}  // namespace pacbench::probes
