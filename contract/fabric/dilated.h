#pragma once

#include "contract/fabric/netd_protocol.h"

namespace pacbench::netd {

/// Returns the request to the daemon where emulated time runs `factor` times slower than the clock.
/// Each rate is divided and each delay multiplied by it, and so is TCP's least retransmission
/// time-out. Queues, in bytes, and the sizes of packets and of token buckets stay those of the
/// declared rates.
CreateRequest dilated(CreateRequest request, int factor);
ScheduleRequest dilated(ScheduleRequest request, int factor);

/// Returns what the daemon reports of a dilated schedule, in emulated time and at declared rates.
ScheduledReply undilated(ScheduledReply reply, int factor);
SteppedEvent undilated(SteppedEvent event, int factor);

}  // namespace pacbench::netd
