#include "contract/fabric/dilated.h"

#include "contract/fabric/queue_length.h"

namespace pacbench::netd {

CreateRequest dilated(CreateRequest request, int factor) {
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

ScheduleRequest dilated(ScheduleRequest request, int factor) {
  for (auto& step : request.steps) {
    step.at_ms *= factor;
    step.rate_mbit /= factor;
  }
  request.repeat_ms *= factor;
  return request;
}

ScheduledReply undilated(ScheduledReply reply, int factor) {
  reply.start_ns /= factor;
  return reply;
}

SteppedEvent undilated(SteppedEvent event, int factor) {
  event.due_ns /= factor;
  event.applied_ns /= factor;
  event.rate_mbit *= factor;
  return event;
}

}  // namespace pacbench::netd
