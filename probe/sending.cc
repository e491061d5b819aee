#include "probe/sending.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <vector>

#include "base/check.h"
#include "base/clock.h"
#include "probe/commands.h"
#include "probe/sockets.h"
#include "probe/stop.h"

namespace pacbench::probe {
namespace {

constexpr std::int64_t kReportNs = 100'000'000;
constexpr std::size_t kPart = 64 * 1024;
constexpr std::size_t kPacedPart = 8 * 1024;
constexpr int kDrainMs = 10'000;
// Large enough that the link never waits for this program, and small enough that little is still
// unsent when the flow ends.
constexpr int kUnsentBytes = 256 * 1024;

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

Json line_of(const char* event, int socket) {
  const auto info = info_of(socket);
  return {{"event", event},
          {"at_ns", monotonic_ns()},
          {"bytes", info.tcpi_bytes_acked},
          {"sent_bytes", info.tcpi_bytes_sent},
          {"segments", info.tcpi_segs_out},
          {"segments_received", info.tcpi_segs_in},
          {"retransmits", info.tcpi_total_retrans},
          {"rtt_us", info.tcpi_rtt}};
}

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

void run_flow(const FlowOptions& options) {
  const auto socket = connect_to(options.address, options.port, Kind::kFlow);
  limit_unsent(socket.get(), kUnsentBytes);
  const bool real_time = enter_real_time();
  print_line({{"event", "connected"},
              {"port", own_port(socket.get())},
              {"congestion_control", congestion_control(socket.get())},
              {"real_time", real_time}});
  if (options.await_go && !await_go()) return;
  const auto start_ns = monotonic_ns();
  send_flow(socket.get(), {options.seconds, options.rate_mbit, 0}, start_ns,
            [&] { print_line(line_of("sent", socket.get())); });
  drain(socket.get());
  auto line = line_of("done", socket.get());
  line["start_ns"] = start_ns;
  print_line(line);
}

void send_messages(const MessagesOptions& options) {
  const auto socket = connect_to(options.address, options.port, Kind::kMessages);
  const bool real_time = enter_real_time();
  print_line({{"event", "connected"}, {"port", own_port(socket.get())}, {"real_time", real_time}});
  std::vector<char> message(static_cast<std::size_t>(options.bytes));
  const auto idle_ns = static_cast<std::int64_t>(options.idle_ms * 1e6);
  int number = -options.warm_up;
  for (; number < options.count; ++number) {
    if (stopped_before(monotonic_ns() + idle_ns)) break;
    const MessageHead head{options.bytes, monotonic_ns(), number};
    std::memcpy(message.data(), &head, sizeof head);
    write_all(socket.get(), message.data(), message.size());
    char arrived = 0;
    if (!read_all(socket.get(), &arrived, 1)) {
      throw std::runtime_error{"the server closed the connection before it confirmed a message"};
    }
  }
  print_line({{"event", "done"}, {"count", std::max(number, 0)}});
}

std::int64_t send_pings(int socket, const PingShape& shape) {
  const auto interval_ns = static_cast<std::int64_t>(shape.interval_ms * 1e6);
  const auto begin_ns = monotonic_ns();
  std::int64_t number = 0;
  for (; number < shape.count; ++number) {
    if (stopped_before(monotonic_ns() + interval_ns)) break;
    const auto start_ns = monotonic_ns();
    if (shape.seconds > 0 && seconds(start_ns - begin_ns) >= shape.seconds) break;
    char letter = '?';
    write_all(socket, &letter, 1);
    if (!read_all(socket, &letter, 1))
      throw std::runtime_error{"the server closed the connection before it answered a ping"};
    print_line({{"event", "ping"},
                {"number", number},
                {"rtt_us", static_cast<double>(monotonic_ns() - start_ns) * 1e-3}});
  }
  return number;
}

std::int64_t echo_pings(int socket, std::int64_t most) {
  char letter = 0;
  std::int64_t count = 0;
  for (; count < most && read_all(socket, &letter, 1); ++count) write_all(socket, &letter, 1);
  return count;
}

void ping(const PingOptions& options) {
  const auto socket = connect_to(options.address, options.port, Kind::kPing);
  const bool real_time = enter_real_time();
  print_line({{"event", "connected"}, {"port", own_port(socket.get())}, {"real_time", real_time}});
  const auto count = send_pings(socket.get(), {options.count, options.interval_ms, 0});
  print_line({{"event", "done"}, {"count", count}});
}

}  // namespace pacbench::probe
