#pragma once

#include "contract/fabric/netd_protocol.h"

namespace pacbench::netd {

/// Returns the request to the daemon where emulated time runs `factor` times slower than the clock.
/// Each rate is divided and each delay multiplied by it, and so is TCP's least retransmission
/// time-out. Queues, in bytes, and the sizes of packets and of token buckets stay those of the
/// declared rates.
inline CreateRequest dilated(CreateRequest request, int factor) {
  if (factor == 1) return request;
  const auto declared = request;
  request.rto_min_ms = CreateRequest::kKernelRtoMinMs * factor;
  for_each_direction(request, [&](Direction& direction, const std::string& name) {
    direction.queue_bytes = queue_bytes(declared, name);
    direction.rate_mbit /= factor;
    direction.most_rate_mbit /= factor;
    direction.impairment.delay_ms *= factor;
    direction.impairment.jitter_ms *= factor;
  });
  return request;
}

inline ScheduleRequest dilated(ScheduleRequest request, int factor) {
  for (auto& step : request.steps) {
    step.at_ms *= factor;
    step.rate_mbit /= factor;
  }
  request.repeat_ms *= factor;
  return request;
}

/// Returns what the daemon reports of a dilated schedule, in emulated time and at declared rates.
inline ScheduledReply undilated(ScheduledReply reply, int factor) {
  reply.start_ns /= factor;
  return reply;
}

inline SteppedEvent undilated(SteppedEvent event, int factor) {
  event.due_ns /= factor;
  event.applied_ns /= factor;
  event.rate_mbit *= factor;
  return event;
}

}  // namespace pacbench::netd
