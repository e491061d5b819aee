#pragma once

#include "harness/cell_record.h"
#include "spec/result.h"

namespace pacbench {

/// Was the network what was declared? "suspect" when the kernel no longer holds what was set,
/// when a class dropped packets, or when more bytes were counted over an iteration than the
/// declared rate carries in its time (by over 3 % and one burst of 15 kB).
Verdict link_verdict(const CellRecord& record, std::int64_t dropped_packets);

/// Did computing on this host, not the link, set the step time? "cpu-bound" when the CPU was less
/// than 5 % idle in over half of the seconds, or when the median bucket was on the wire for less
/// than five times the scheduling floor.
Verdict host_verdict(const CellRecord& record, double scheduling_floor_ms);

}  // namespace pacbench
