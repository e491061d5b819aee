#include "probe/commands.h"

#include <poll.h>
#include <unistd.h>

#include <cstdint>
#include <limits>
#include <stdexcept>

#include "base/clock.h"
#include "probe/datagrams.h"
#include "probe/peers.h"
#include "probe/ping.h"
#include "probe/sockets.h"
#include "probe/stamped_reader.h"
#include "probe/stop.h"
#include "probe/taking.h"

namespace pacbench::probe {
namespace {

constexpr auto kNoLimit = std::numeric_limits<std::int64_t>::max();

void report_flow(int socket, const sockaddr_in& peer) {
  auto line = line_about("flow", peer);
  line.update(take_flow(socket, kNoLimit));
  print_line(line);
}

void take_messages(int socket, const sockaddr_in& peer) {
  MessageHead head;
  StampedReader reader{socket};
  while (reader.read(&head, sizeof head)) {
    reader.discard(static_cast<std::size_t>(head.bytes) - sizeof head);
    const auto end_ns = monotonic_ns();
    // The sender's idle time begins with this answer, not when the message's last byte left.
    write_all(socket, "!", 1);
    if (head.number < 0) continue;
    auto line = line_about("message", peer);
    line.update({{"number", head.number},
                 {"bytes", head.bytes},
                 {"start_ns", head.start_ns},
                 {"arrived_ns", reader.last_ns()},
                 {"end_ns", end_ns}});
    print_line(line);
  }
}

void take_datagrams(int socket, const sockaddr_in& peer, Kind kind) {
  auto line = line_about("datagrams", peer);
  line.update(receive_datagrams(socket, kind));
  print_line(line);
}

void take(int socket, const sockaddr_in& peer) {
  no_delay(socket);
  Hello hello;
  if (!read_plain(socket, hello)) return;
  if (hello.magic != Hello::kMagic) throw std::runtime_error{"the other end is not pacbench-probe"};
  if (hello.kind == Kind::kFlow) report_flow(socket, peer);
  if (hello.kind == Kind::kMessages) take_messages(socket, peer);
  if (hello.kind == Kind::kPing) echo_pings(socket, kNoLimit);
  if (hello.kind == Kind::kDatagrams || hello.kind == Kind::kOverflow) {
    take_datagrams(socket, peer, hello.kind);
  }
}

}  // namespace

void serve(std::uint16_t port) {
  const auto listener = listen_on("0.0.0.0", port);
  const bool real_time = enter_real_time();
  print_line({{"event", "serving"}, {"port", port}, {"real_time", real_time}});
  Peers peers{take};
  for (;;) {
    pollfd polls[]{{STDIN_FILENO, POLLIN, 0}, {listener.get(), POLLIN, 0}};
    if (::poll(polls, 2, -1) < 0) continue;
    if (polls[0].revents != 0 && told_to_stop()) break;
    if (polls[1].revents != 0) peers.accept_from(listener.get(), SIZE_MAX);
  }
}

}  // namespace pacbench::probe
