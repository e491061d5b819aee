#include "probe/commands.h"

#include <cstring>
#include <vector>

#include "base/clock.h"
#include "probe/sockets.h"
#include "probe/stop.h"

namespace pacbench::probe {

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

}  // namespace pacbench::probe
