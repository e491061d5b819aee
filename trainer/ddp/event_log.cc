#include "trainer/ddp/event_log.h"

#include <unistd.h>

#include <mutex>

#include "base/check.h"
#include "base/clock.h"

namespace pacbench {
namespace {

constexpr std::int64_t kLongestSilenceNs = 2'000'000'000;

}  // namespace

void EventLog::keep(std::variant<IterationEvent, PrunedEvent> event) {
  kept_.push_back(std::move(event));
  if (monotonic_ns() - last_flush_ns_ > kLongestSilenceNs) flush();
}

void EventLog::flush() {
  std::string text;
  for (const auto& kept : kept_) {
    text += std::visit([](const auto& event) { return to_json(event); }, kept).dump() + '\n';
  }
  kept_.clear();
  last_flush_ns_ = monotonic_ns();
  write_text(text);
}

void EventLog::write_text(const std::string& text) const {
  static std::mutex one_at_a_time;
  const std::lock_guard lock{one_at_a_time};
  std::size_t written = 0;
  while (written < text.size()) {
    const auto count = ::write(fd_, text.data() + written, text.size() - written);
    if (count < 0 && errno == EINTR) continue;
    written += static_cast<std::size_t>(check("write an event", count));
  }
}

}  // namespace pacbench
