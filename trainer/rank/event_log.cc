#include "trainer/rank/event_log.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <mutex>
#include <system_error>

#include "base/check.h"
#include "base/clock.h"

namespace pacbench::trainer {
namespace {

constexpr std::int64_t kLongestSilenceNs = 2'000'000'000;

/// The lock of all EventLogs in this process.
std::mutex& one_at_a_time() {
  static std::mutex mutex;
  return mutex;
}

void write_all(int fd, const std::string& text) {
  std::size_t written = 0;
  while (written < text.size()) {
    const auto count = ::write(fd, text.data() + written, text.size() - written);
    if (count < 0 && errno == EINTR) continue;
    written += static_cast<std::size_t>(check("write an event", count));
  }
}

}  // namespace

int claim_standard_output() {
  // The numbers below belong to descriptors with which a worker may start (contract/worker).
  constexpr int kLeastNumber = 100;
  const int events =
      check("copy standard output", ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, kLeastNumber));
  check("point standard output at standard error", ::dup2(STDERR_FILENO, STDOUT_FILENO));
  return events;
}

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
  const std::lock_guard lock{one_at_a_time()};
  write_all(fd_, text);
}

void EventLog::end_process(int fd, const FailedEvent& event) {
  // The lock is kept, so that no other rank begins a line that the end would cut off.
  one_at_a_time().lock();
  try {
    write_all(fd, json_text(to_json(event)) + '\n');
  } catch (const std::system_error&) {
    // Nobody listens any more; the exit code says the rest.
  }
  // The other ranks may be gone, and an orderly end of the connections to them could take long.
  std::_Exit(1);
}

}  // namespace pacbench::trainer
