#include "harness/machine/meter.h"

#include <poll.h>

#include <algorithm>
#include <system_error>

#include "base/clock.h"
#include "base/errors.h"
#include "base/start_process.h"
#include "harness/machine/process.h"

namespace pacbench {
namespace {

constexpr std::int64_t kMostWaitNs = 2'000'000'000;
constexpr int kPollMs = 50;

}  // namespace

Meter::Meter(const std::string& program) : channel_{"", ProcessChannel::Input::kHeldOpen} {
  try {
    process_ = start_process({program, "meter"}, minimal_environment(), channel_.program_ends());
  } catch (const std::system_error& error) {
    failure_ = error.what();
  }
  channel_.started();
}

void Meter::read() {
  if (!failure_.empty()) return;
  try {
    for (const auto& text : channel_.exchange()) lines_.take(parse_json_line(text));
    if (channel_.closed()) failure_ = "the meter ended: " + last_lines(channel_.take_errors(), 3);
  } catch (const std::exception& error) {
    failure_ = error.what();
  }
}

MachineTrace Meter::since(std::int64_t from_ns) {
  const auto now_ns = monotonic_ns();
  channel_.say("\n");
  for (read(); failure_.empty() && lines_.until_ns() < now_ns; read()) {
    if (monotonic_ns() > now_ns + kMostWaitNs) break;
    std::vector<pollfd> polls;
    channel_.add_to(polls);
    ::poll(polls.data(), polls.size(), kPollMs);
  }
  auto trace = lines_.between(from_ns, now_ns);
  if (!failure_.empty()) trace.watched = false;
  // What no thread came to watch for so long was taken away.
  const auto until_ns = std::max(lines_.until_ns(), from_ns);
  if (trace.watched && until_ns < now_ns) {
    trace.disturbances.push_back({TakenBy::kUnseen, until_ns, now_ns, seconds(now_ns - until_ns)});
  }
  return trace;
}

}  // namespace pacbench
