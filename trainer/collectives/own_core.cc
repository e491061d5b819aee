#include "trainer/collectives/own_core.h"

#include <sys/prctl.h>
#include <time.h>

#include <algorithm>
#include <mutex>
#include <utility>

namespace pacbench::trainer {
namespace {

// No thread wakes up exactly when it asks to. Shorter delays on the clock are not noted.
constexpr std::int64_t kNotedNs = 100'000;

struct LateTimes {
  std::mutex mutex;
  std::vector<Span> spans;
};

LateTimes& late_times() {
  static LateTimes times;
  return times;
}

std::int64_t cpu_time_ns() {
  timespec used{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return used.tv_sec * 1'000'000'000 + used.tv_nsec;
}

void note_late(std::int64_t from_ns, std::int64_t to_ns) {
  if (to_ns - from_ns < kNotedNs) return;
  auto& late = late_times();
  const std::lock_guard lock{late.mutex};
  late.spans.push_back({emulated_ns(from_ns), emulated_ns(to_ns)});
}

}  // namespace

void sleep_until_monotonic(std::int64_t when_ns) {
  // The timer slack is set once for each thread that sleeps.
  static thread_local const int exact = ::prctl(PR_SET_TIMERSLACK, 1);
  static_cast<void>(exact);
  constexpr std::int64_t kSecond = 1'000'000'000;
  const timespec when{when_ns / kSecond, when_ns % kSecond};
  while (::clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &when, nullptr) != 0) {
  }
}

OwnCore& OwnCore::of_this_thread() {
  static thread_local OwnCore core;
  return core;
}

void OwnCore::begin(std::int64_t clock_ns) {
  behind_ns_ = 0;
  begin_next(clock_ns);
}

void OwnCore::begin_next(std::int64_t clock_ns) {
  // At full speed a piece costs the time that it takes, so that it begins now.
  began_ns_ = time_dilation > 1 ? clock_ns : monotonic_ns();
  if (time_dilation > 1) cpu_ns_ = cpu_time_ns();
}

std::int64_t OwnCore::cost_ns() const {
  return time_dilation > 1 ? cpu_time_ns() - cpu_ns_ : monotonic_ns() - began_ns_;
}

void OwnCore::go_on(double factor, std::int64_t most_ns) {
  const double slower = factor * time_dilation / speed_;
  if (slower == 1 && time_dilation == 1) return begin();
  const auto counted_ns = static_cast<double>(std::min(cost_ns(), most_ns));
  const auto due_ns = began_ns_ + static_cast<std::int64_t>(slower * counted_ns);
  sleep_until_monotonic(due_ns);
  begin_next(due_ns);
}

void OwnCore::catch_up(double factor, std::int64_t most_ns) {
  go_on(factor, most_ns);
  if (time_dilation == 1) return;
  const auto now_ns = monotonic_ns();
  note_late(began_ns_ + behind_ns_, now_ns);
  behind_ns_ = now_ns - began_ns_;
}

std::vector<Span> OwnCore::take_late() {
  auto& late = late_times();
  const std::lock_guard lock{late.mutex};
  return std::exchange(late.spans, {});
}

}  // namespace pacbench::trainer
