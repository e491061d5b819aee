#include "probe/sending.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

#include "base/check.h"
#include "base/clock.h"
#include "probe/stop.h"

namespace pacbench::probe {
namespace {

constexpr std::int64_t kReportNs = 100'000'000;
constexpr std::size_t kPart = 64 * 1024;
constexpr std::size_t kPacedPart = 8 * 1024;
constexpr int kDrainMs = 10'000;

/// Decides when to send how much, at a rate or as fast as TCP accepts it.
class Pace {
 public:
  Pace(const FlowShape& shape, std::int64_t start_ns) : shape_{shape}, start_ns_{start_ns} {}

  std::size_t most_part() const { return shape_.rate_mbit > 0 ? kPacedPart : kPart; }

  /// The size of the next part after `sent` bytes; 0 when all have been sent.
  std::size_t part(std::int64_t sent) const {
    if (shape_.most_bytes <= 0) return most_part();
    return static_cast<std::size_t>(std::clamp<std::int64_t>(
        shape_.most_bytes - sent, 0, static_cast<std::int64_t>(most_part())));
  }

  /// The time at which the next part is due after `sent` bytes; without a rate, a time in the past.
  std::int64_t due_ns(std::int64_t sent) const {
    if (shape_.rate_mbit <= 0) return 0;
    return start_ns_ +
           static_cast<std::int64_t>(static_cast<double>(sent) * 8e3 / shape_.rate_mbit);
  }

 private:
  FlowShape shape_;
  std::int64_t start_ns_;
};

}  // namespace

void limit_unsent(int socket, int bytes) {
  check("TCP_NOTSENT_LOWAT",
        ::setsockopt(socket, IPPROTO_TCP, TCP_NOTSENT_LOWAT, &bytes, sizeof bytes));
}

std::int64_t send_flow(int socket, const FlowShape& shape, std::int64_t start_ns,
                       const std::function<void()>& report) {
  const Pace pace{shape, start_ns};
  const auto end_ns = start_ns + static_cast<std::int64_t>(shape.seconds * 1e9);
  const std::vector<char> data(pace.most_part());
  std::int64_t sent = 0;
  auto report_ns = monotonic_ns() + kReportNs;
  while (monotonic_ns() < end_ns && pace.part(sent) > 0) {
    const auto now_ns = monotonic_ns();
    if (now_ns >= report_ns) {
      report();
      report_ns += kReportNs;
    }
    const auto wake_ns = std::min(report_ns, end_ns);
    if (pace.due_ns(sent) > now_ns) {
      if (stopped_before(std::min(wake_ns, pace.due_ns(sent)))) break;
      continue;
    }
    const auto count = ::send(socket, data.data(), pace.part(sent), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count >= 0) {
      sent += count;
      continue;
    }
    if (errno != EAGAIN && errno != EINTR) check("send", count);
    const auto left_ns = std::max<std::int64_t>(wake_ns - now_ns, 0);
    const timespec left{left_ns / 1'000'000'000, left_ns % 1'000'000'000};
    pollfd polls[]{{STDIN_FILENO, POLLIN, 0}, {socket, POLLOUT, 0}};
    ::ppoll(polls, 2, &left, nullptr);
    if (polls[0].revents != 0 && told_to_stop()) break;
  }
  return sent;
}

void drain(int socket) {
  check("shutdown", ::shutdown(socket, SHUT_WR));
  pollfd ended{socket, POLLIN, 0};
  ::poll(&ended, 1, kDrainMs);
}

}  // namespace pacbench::probe
