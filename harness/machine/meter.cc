#include "harness/machine/meter.h"

#include <poll.h>

#include <algorithm>
#include <chrono>
#include <system_error>
#include <vector>

#include "base/clock.h"
#include "harness/machine/cpu_allowance.h"
#include "harness/machine/process.h"

namespace pacbench {
namespace {

constexpr auto kMostWait = std::chrono::seconds{2};
constexpr int kPollMs = 100;

}  // namespace

Meter::Meter(const std::string& program) : channel_{"", ProcessChannel::Input::kHeldOpen} {
  try {
    process_ = start_process({program, "meter"}, minimal_environment(), channel_.program_ends());
  } catch (const std::system_error&) {
    works_ = false;
  }
  channel_.started();
  reader_ = std::thread{[this] { listen(); }};
}

Meter::~Meter() {
  ends_ = true;
  reader_.join();
}

void Meter::listen() {
  while (!ends_) {
    std::vector<pollfd> polls;
    {
      const std::lock_guard lock{mutex_};
      if (!works_) return;
      channel_.add_to(polls);
    }
    ::poll(polls.data(), polls.size(), kPollMs);
    const std::lock_guard lock{mutex_};
    read();
    has_read_.notify_all();
  }
}

void Meter::read() {
  try {
    for (const auto& line : channel_.exchange()) lines_.take(parse_json_line(line), throttled_ns());
    works_ = works_ && !channel_.closed();
  } catch (const std::exception&) {  // no line of a meter: nothing can be said from here on
    works_ = false;
  }
}

MachineTrace Meter::since(std::int64_t from_ns) {
  const auto now_ns = monotonic_ns();
  std::unique_lock lock{mutex_};
  channel_.say("\n");
  read();  // writes, too
  has_read_.wait_for(lock, kMostWait, [&] { return !works_ || lines_.until_ns() >= now_ns; });
  auto trace = lines_.between(from_ns, now_ns);
  trace.watched = trace.watched && works_;
  // What no thread came to watch for so long was taken away.
  const auto until_ns = std::max(lines_.until_ns(), from_ns);
  if (trace.watched && until_ns < now_ns) {
    trace.disturbances.push_back({TakenBy::kUnseen, until_ns, now_ns, seconds(now_ns - until_ns)});
  }
  return trace;
}

void Meter::forget_before(std::int64_t at_ns) {
  const std::lock_guard lock{mutex_};
  lines_.forget_before(at_ns);
}

}  // namespace pacbench
