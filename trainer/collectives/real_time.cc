#include "trainer/collectives/real_time.h"

#include <sched.h>

namespace pacbench::trainer {
namespace {

bool set_class(int policy, int priority) {
  sched_param parameter{};
  parameter.sched_priority = priority;
  return ::sched_setscheduler(0, policy, &parameter) == 0;
}

}  // namespace

RealTimeScope::RealTimeScope(int priority) : active_{set_class(SCHED_RR, priority)} {}

RealTimeScope::~RealTimeScope() {
  if (active_) set_class(SCHED_OTHER, 0);
}

void RealTimeScope::move_to(int priority) {
  if (active_) set_class(SCHED_RR, priority);
}

}  // namespace pacbench::trainer
