#include "probe/stop.h"

#include <poll.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <mutex>

#include "base/clock.h"

namespace pacbench::probe {
namespace {

constexpr int kPriority = 5;

/// Reads and discards what is on standard input; true at its end.
bool input_ended() {
  char text[64];
  return ::read(STDIN_FILENO, text, sizeof text) <= 0;
}

}  // namespace

bool told_to_stop() { return stopped_before(0); }

bool stopped_before(std::int64_t due_ns) {
  for (;;) {
    const auto left_ns = std::max<std::int64_t>(due_ns - monotonic_ns(), 0);
    const timespec left{left_ns / 1'000'000'000, left_ns % 1'000'000'000};
    pollfd input{STDIN_FILENO, POLLIN, 0};
    if (::ppoll(&input, 1, &left, nullptr) > 0 && input_ended()) return true;
    if (monotonic_ns() >= due_ns) return false;
  }
}

bool await_go() {
  char letter = 0;
  while (::read(STDIN_FILENO, &letter, 1) == 1) {
    if (letter == '\n') return true;
  }
  return false;
}

void print_line(const Json& object) {
  static std::mutex one_at_a_time;
  const auto line = json_text(object) + '\n';
  const std::lock_guard lock{one_at_a_time};
  std::fwrite(line.data(), 1, line.size(), stdout);
  std::fflush(stdout);
}

bool enter_real_time() {
  const sched_param priority{kPriority};
  return ::sched_setscheduler(0, SCHED_RR, &priority) == 0;
}

}  // namespace pacbench::probe
