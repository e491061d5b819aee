#include "probe/datagrams.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <vector>

#include "base/check.h"
#include "base/clock.h"
#include "probe/request.h"
#include "probe/sockets.h"
#include "probe/stop.h"

namespace pacbench::probe {
namespace {

// The message that a stream has ended may overtake its last datagrams. After a host has paused for
// long, one wait is over at once, before the delayed datagrams have come: hence two waits.
constexpr int kSilenceMs = 500;
// A full queue empties without a pause.
constexpr int kSilenceOfOverflowMs = 50;
constexpr int kSilences = 2;
constexpr int kNeverMs = -1;

/// Gives a socket's buffer as much room as the kernel allows.
void make_room(int socket, int buffer) {
  const int much = 1 << 24;
  check("socket buffer", ::setsockopt(socket, SOL_SOCKET, buffer, &much, sizeof much));
}

/// Receives the head of a datagram and its sender. Returns the bytes of the datagram, and the time
/// on CLOCK_MONOTONIC at which the kernel had the datagram: of now where it was not stamped.
std::pair<ssize_t, std::int64_t> receive_stamped(int socket, DayClock& clock, DatagramHead& head,
                                                 sockaddr_in& from) {
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(timespec))];
  iovec part{&head, sizeof head};
  msghdr message{};
  message.msg_name = &from;
  message.msg_namelen = sizeof from;
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  const auto count = ::recvmsg(socket, &message, MSG_TRUNC);
  return {count, stamp_of(message, clock).value_or(monotonic_ns())};
}

}  // namespace

std::int64_t send_stream(const std::vector<int>& sockets, const sockaddr_in& to,
                         const DatagramStream& stream) {
  std::vector<char> datagram(static_cast<std::size_t>(stream.bytes));
  const auto start_ns = monotonic_ns() + static_cast<std::int64_t>(stream.start_ms * 1e6);
  const int flags = sockets.size() > 1 ? MSG_DONTWAIT : 0;
  std::int64_t sent = 0;
  for (std::int64_t number = 0; number < stream.count; ++number) {
    const auto due =
        static_cast<std::int64_t>(static_cast<double>(number) * stream.interval_us * 1e3);
    if (stopped_before(start_ns + due)) break;
    const DatagramHead head{monotonic_ns(), number};
    std::memcpy(datagram.data(), &head, sizeof head);
    const int socket = sockets[static_cast<std::size_t>(number) % sockets.size()];
    const auto count = ::sendto(socket, datagram.data(), datagram.size(), flags,
                                reinterpret_cast<const sockaddr*>(&to), sizeof to);
    if (count < 0 && flags != 0 && (errno == EAGAIN || errno == ENOBUFS)) continue;
    check("sendto", count);
    ++sent;
  }
  return sent;
}

ReceivedStream receive_stream(int connection, int socket, const AcceptedDatagrams& accepted) {
  ReceivedStream stream;
  DayClock clock;
  std::optional<DatagramEnd> end;
  stamp_arrivals(socket);
  make_room(socket, SO_RCVBUF);
  for (int silences = 0; silences < kSilences && stream.arrivals.received() < accepted.most;) {
    pollfd polls[]{{socket, POLLIN, 0}, {end ? -1 : connection, POLLIN, 0}};
    if (::poll(polls, 2, end ? accepted.silence_ms : kNeverMs) == 0) {
      ++silences;
      continue;
    }
    silences = 0;
    if (polls[0].revents != 0) {
      DatagramHead head;
      sockaddr_in from{};
      const auto [count, arrived_ns] = receive_stamped(socket, clock, head, from);
      const bool is_theirs = accepted.from == INADDR_ANY || accepted.from == from.sin_addr.s_addr;
      if (count >= static_cast<ssize_t>(sizeof head) && is_theirs) {
        stream.arrivals.add(head.number, head.start_ns, arrived_ns);
        stream.taken.add(arrived_ns, count);
      }
    }
    if (polls[1].revents != 0) {
      end.emplace();
      if (!read_plain(connection, *end))
        throw std::runtime_error{
            "the sender closed the connection before it said how many datagrams it sent"};
    }
  }
  stream.sent = end ? end->sent : stream.arrivals.received();
  return stream;
}

Json to_json(const ReceivedStream& stream) {
  auto line = stream.arrivals.counts(stream.sent);
  line.update({{"jitter_us", stream.arrivals.jitter_us()},
               {"first_ns", stream.arrivals.first_ns()},
               {"last_ns", stream.arrivals.last_ns()}});
  return line;
}

DatagramStream stream_of(const Request& request) {
  const double interval_us = request.datagram_bytes * 8 / request.rate_mbit;
  const auto in_time = static_cast<std::int64_t>(request.seconds * 1e6 / interval_us);
  const auto in_bytes = request.bytes / request.datagram_bytes;
  return {std::max<std::int64_t>(1, std::min(in_time, in_bytes)), request.datagram_bytes,
          interval_us};
}

void send_datagrams(const DatagramsOptions& options) {
  const auto kind = options.stream.sockets > 1 ? Kind::kOverflow : Kind::kDatagrams;
  const auto connection = connect_to(options.address, options.port, kind);
  DatagramPort there;
  if (!read_plain(connection.get(), there))
    throw std::runtime_error{"the server closed the connection before it gave its UDP port"};
  std::vector<UniqueFd> owned;
  std::vector<int> sockets;
  for (int i = 0; i < options.stream.sockets; ++i) {
    sockets.push_back(owned.emplace_back(datagram_socket(0)).get());
    if (options.stream.sockets > 1) make_room(sockets.back(), SO_SNDBUF);
  }
  const bool real_time = enter_real_time();
  print_line(
      {{"event", "connected"}, {"port", own_port(connection.get())}, {"real_time", real_time}});
  const auto count = send_stream(sockets, endpoint(options.address, there.port), options.stream);
  write_plain(connection.get(), DatagramEnd{count});
  char ended = 0;
  read_all(connection.get(), &ended, 1);
  print_line({{"event", "done"}, {"count", count}});
}

Json receive_datagrams(int connection, Kind kind) {
  const auto socket = datagram_socket(0);
  write_plain(connection, DatagramPort{own_port(socket.get())});
  AcceptedDatagrams accepted;
  accepted.silence_ms = kind == Kind::kOverflow ? kSilenceOfOverflowMs : kSilenceMs;
  const auto stream = receive_stream(connection, socket.get(), accepted);
  auto line = stream.arrivals.counts(stream.sent);
  line["delays_us"] = stream.arrivals.delays_us();
  if (kind == Kind::kOverflow) line.update(stream.taken.line());
  return line;
}

}  // namespace pacbench::probe
