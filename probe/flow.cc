#include "probe/flow.h"

#include <fcntl.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "base/check.h"
#include "base/clock.h"
#include "probe/sockets.h"
#include "probe/stop.h"

namespace pacbench::probe {
namespace {

constexpr std::int64_t kReportNs = 100'000'000;
constexpr std::size_t kPart = 64 * 1024;
constexpr std::size_t kPacedPart = 8 * 1024;
// Enough that the link never waits for this program, and little enough that the end is the end.
constexpr int kUnsentBytes = 256 * 1024;
constexpr int kDrainMs = 10'000;

tcp_info info_of(int socket) {
  tcp_info info{};
  socklen_t size = sizeof info;
  check("TCP_INFO", ::getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &size));
  return info;
}

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

std::string congestion_control(int socket) {
  char name[16]{};
  socklen_t size = sizeof name;
  check("TCP_CONGESTION", ::getsockopt(socket, IPPROTO_TCP, TCP_CONGESTION, name, &size));
  return name;
}

/// When how much is to be sent, at a rate or as fast as TCP takes it.
class Pace {
 public:
  Pace(double rate_mbit, std::int64_t start_ns) : rate_mbit_{rate_mbit}, start_ns_{start_ns} {}

  std::size_t part() const { return rate_mbit_ > 0 ? kPacedPart : kPart; }

  /// When the next part is due after `sent` bytes; a time that is past without a rate.
  std::int64_t due_ns(std::int64_t sent) const {
    if (rate_mbit_ <= 0) return 0;
    return start_ns_ + static_cast<std::int64_t>(static_cast<double>(sent) * 8e3 / rate_mbit_);
  }

 private:
  double rate_mbit_;
  std::int64_t start_ns_;
};

/// Sends until the end; false when told to stop before.
bool send_until(int socket, std::int64_t end_ns, const Pace& pace) {
  const std::vector<char> part(pace.part());
  std::int64_t sent = 0;
  auto report_ns = monotonic_ns() + kReportNs;
  while (monotonic_ns() < end_ns) {
    const auto now_ns = monotonic_ns();
    if (now_ns >= report_ns) {
      print_line(line_of("sent", socket));
      report_ns += kReportNs;
    }
    const auto wake_ns = std::min(report_ns, end_ns);
    if (pace.due_ns(sent) > now_ns) {
      if (stopped_before(std::min(wake_ns, pace.due_ns(sent)))) return false;
      continue;
    }
    const auto count = ::send(socket, part.data(), part.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count >= 0) {
      sent += count;
      continue;
    }
    if (errno != EAGAIN && errno != EINTR) check("send", count);
    const auto left_ns = std::max<std::int64_t>(wake_ns - now_ns, 0);
    const timespec left{left_ns / 1'000'000'000, left_ns % 1'000'000'000};
    pollfd polls[]{{STDIN_FILENO, POLLIN, 0}, {socket, POLLOUT, 0}};
    ::ppoll(polls, 2, &left, nullptr);
    if (polls[0].revents != 0 && told_to_stop()) return false;
  }
  return true;
}

/// Until the server has read everything and closed, so that the last numbers are final.
void drain(int socket) {
  check("shutdown", ::shutdown(socket, SHUT_WR));
  pollfd ended{socket, POLLIN, 0};
  ::poll(&ended, 1, kDrainMs);
}

}  // namespace

void run_flow(const FlowOptions& options) {
  const auto socket = connect_to(options.address, options.port, Kind::kFlow);
  check("TCP_NOTSENT_LOWAT", ::setsockopt(socket.get(), IPPROTO_TCP, TCP_NOTSENT_LOWAT,
                                          &kUnsentBytes, sizeof kUnsentBytes));
  const bool real_time = enter_real_time();
  print_line({{"event", "connected"},
              {"port", own_port(socket.get())},
              {"congestion_control", congestion_control(socket.get())},
              {"real_time", real_time}});
  if (options.await_go && !await_go()) return;
  const auto start_ns = monotonic_ns();
  const auto end_ns = start_ns + static_cast<std::int64_t>(options.seconds * 1e9);
  send_until(socket.get(), end_ns, Pace{options.rate_mbit, start_ns});
  drain(socket.get());
  auto line = line_of("done", socket.get());
  line["start_ns"] = start_ns;
  print_line(line);
}

}  // namespace pacbench::probe
