#include "probe/ping.h"

#include <stdexcept>

#include "base/clock.h"
#include "probe/sockets.h"
#include "probe/stop.h"

namespace pacbench::probe {

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
