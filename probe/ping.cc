#include "probe/ping.h"

#include <stdexcept>

#include "base/clock.h"
#include "probe/sockets.h"
#include "probe/stop.h"

namespace pacbench::probe {

void ping(const PingOptions& options) {
  const auto socket = connect_to(options.address, options.port, Kind::kPing);
  const bool real_time = enter_real_time();
  print_line({{"event", "connected"}, {"port", own_port(socket.get())}, {"real_time", real_time}});
  const auto interval_ns = static_cast<std::int64_t>(options.interval_ms * 1e6);
  int number = 0;
  for (; number < options.count; ++number) {
    if (stopped_before(monotonic_ns() + interval_ns)) break;
    const auto start_ns = monotonic_ns();
    char letter = '?';
    write_all(socket.get(), &letter, 1);
    if (!read_all(socket.get(), &letter, 1)) throw std::runtime_error{"the server has gone"};
    print_line({{"event", "ping"},
                {"number", number},
                {"rtt_us", static_cast<double>(monotonic_ns() - start_ns) * 1e-3}});
  }
  print_line({{"event", "done"}, {"count", number}});
}

}  // namespace pacbench::probe
