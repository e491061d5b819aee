#include "netem/session/real_time.h"

#include <sched.h>
#include <sys/resource.h>

#include "netem/session/credentials.h"

namespace pacbench::netem {

// A refusal is no error: the steps of a schedule report how late they came.
BeforeWorkers::BeforeWorkers() {
  const sched_param priority{kRealTimePriority + 1};
  const rlimit limit{kRealTimePriority + 1, kRealTimePriority + 1};
  ::setrlimit(RLIMIT_RTPRIO, &limit);
  ::sched_setscheduler(0, SCHED_RR | SCHED_RESET_ON_FORK, &priority);
}

BeforeWorkers::~BeforeWorkers() {
  const sched_param none{0};
  // SCHED_RESET_ON_FORK stays set: only root may clear this flag, and it does no harm.
  ::sched_setscheduler(0, SCHED_OTHER | SCHED_RESET_ON_FORK, &none);
}

}  // namespace pacbench::netem
