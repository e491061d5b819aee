#include "trainer/collectives/sleep.h"

#include <sys/prctl.h>
#include <time.h>

namespace pacbench::trainer {

void sleep_until_monotonic(std::int64_t when_ns) {
  // The timer slack is set once for each thread that sleeps.
  static thread_local const int exact = ::prctl(PR_SET_TIMERSLACK, 1);
  static_cast<void>(exact);
  constexpr std::int64_t kSecond = 1'000'000'000;
  const timespec when{when_ns / kSecond, when_ns % kSecond};
  while (::clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &when, nullptr) != 0) {
  }
}

}  // namespace pacbench::trainer
