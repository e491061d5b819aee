#include "trainer/ddp/event_log.h"

#include <unistd.h>

#include "base/check.h"
#include "base/clock.h"

namespace pacbench {
namespace {

constexpr std::int64_t kLongestSilenceNs = 2'000'000'000;

}  // namespace

void EventLog::keep(IterationEvent event) {
  kept_.push_back(std::move(event));
  if (monotonic_ns() - last_flush_ns_ > kLongestSilenceNs) flush();
}

void EventLog::flush() {
  std::string text;
  for (const auto& event : kept_) text += to_json(event).dump() + '\n';
  kept_.clear();
  last_flush_ns_ = monotonic_ns();
  write_text(text);
}

void EventLog::write_text(const std::string& text) {
  std::size_t written = 0;
  while (written < text.size()) {
    const auto count = ::write(STDOUT_FILENO, text.data() + written, text.size() - written);
    if (count < 0 && errno == EINTR) continue;
    written += static_cast<std::size_t>(check("write an event", count));
  }
}

}  // namespace pacbench
