#include "probe/commands.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstring>
#include <stdexcept>
#include <system_error>

#include "base/check.h"
#include "base/clock.h"
#include "probe/datagrams.h"
#include "probe/peers.h"
#include "probe/ping.h"
#include "probe/request.h"
#include "probe/sending.h"
#include "probe/sockets.h"
#include "probe/stop.h"
#include "probe/taking.h"

namespace pacbench::probe {
namespace {

constexpr int kTickMs = 1000;
// A connection takes longer than its traffic: what was sent still has to arrive.
constexpr double kAllowance_s = 30;
constexpr std::int64_t kNsPerMs = 1'000'000;
constexpr std::int64_t kFirstDatagram_ns = 3000 * kNsPerMs;

/// Serves one request of a client over its connection.
class Answer {
 public:
  Answer(int socket, const sockaddr_in& peer, const AnswerOptions& options, Quota& quota)
      : socket_{socket}, peer_{peer}, options_{options}, quota_{quota} {}

  void run() {
    no_delay(socket_);
    Hello hello;
    if (!read_plain(socket_, hello)) return;
    if (hello.magic != Hello::kMagic || hello.kind != Kind::kRequest) {
      throw std::runtime_error{"the other end is not `pacbench link measure`"};
    }
    try {
      request_ = request_from_line(read_line(socket_, Request::kMostLineBytes));
      auto grant = quota_.grant(address_of(peer_), request_.bytes, request_.seconds);
      if (request_.traffic == Traffic::kDatagrams) datagrams_ = own_datagram_socket();
      write_line(socket_, json_text({{"accepted", true}, {"udp_port", udp_port()}}));
      const auto bytes = carry();
      grant.used(bytes);
      report(bytes);
    } catch (const Refused& refusal) {
      refuse(refusal.what());
    } catch (const ConfigError& error) {
      refuse(error.what());
    }
  }

 private:
  /// Opens a datagram socket at the local address to which the client has connected. The fixed port
  /// is easier to let through a firewall; where it is taken, any free one will do.
  UniqueFd own_datagram_socket() const {
    const auto address = own_address(socket_);
    try {
      return datagram_socket(options_.port, address);
    } catch (const std::system_error&) {
      return datagram_socket(0, address);
    }
  }

  std::uint16_t udp_port() const { return datagrams_ ? own_port(datagrams_.get()) : 0; }

  /// Carries the traffic, and returns the bytes of payload.
  std::int64_t carry() {
    const bool takes = request_.sender == Sender::kClient;
    switch (request_.traffic) {
      case Traffic::kFlow:
        return takes ? take() : send();
      case Traffic::kPings:
        return echo_pings(socket_, request_.bytes);
      case Traffic::kDatagrams:
        return takes ? take_datagrams() : give_datagrams();
    }
    return 0;
  }

  std::int64_t take() {
    const auto line = take_flow(socket_, request_.bytes);
    write_line(socket_, json_text(line));
    return line.at("bytes");
  }

  std::int64_t send() {
    limit_unsent(socket_, Request::kUnsentBytes);
    await_letter();
    return send_flow(socket_, {request_.seconds, request_.rate_mbit, request_.bytes},
                     monotonic_ns(), [] {});
  }

  std::int64_t take_datagrams() {
    const auto stream = receive_stream(socket_, datagrams_.get(),
                                       {peer_.sin_addr.s_addr, stream_of(request_).count});
    write_line(socket_, json_text(to_json(stream)));
    return stream.arrivals.received() * request_.datagram_bytes;
  }

  std::int64_t give_datagrams() {
    const auto count = send_stream({datagrams_.get()}, sender_of_first(), stream_of(request_));
    write_plain(socket_, DatagramEnd{count});
    await_letter();
    return count * request_.datagram_bytes;
  }

  /// Waits for the client's letter, which says that it is ready or that it has received all.
  void await_letter() const {
    char letter = 0;
    if (!read_all(socket_, &letter, 1))
      throw std::runtime_error{"the client closed the connection before all traffic had passed"};
  }

  /// The address to which datagrams for the client go. The client's first datagram shows its port,
  /// because a router on the way may have changed it.
  sockaddr_in sender_of_first() const {
    const auto end_ns = monotonic_ns() + kFirstDatagram_ns;
    for (;;) {
      const auto left_ns = end_ns - monotonic_ns();
      pollfd ready{datagrams_.get(), POLLIN, 0};
      if (left_ns <= 0 || ::poll(&ready, 1, static_cast<int>(left_ns / kNsPerMs)) <= 0)
        throw std::runtime_error{
            "no datagram came from the client within 3 s; firewalls must let UDP through"};
      sockaddr_in from{};
      socklen_t size = sizeof from;
      char letter = 0;
      ::recvfrom(datagrams_.get(), &letter, 1, 0, reinterpret_cast<sockaddr*>(&from), &size);
      if (from.sin_addr.s_addr == peer_.sin_addr.s_addr) return from;
    }
  }

  void report(std::int64_t bytes) const {
    auto line = line_about("answered", peer_);
    line.update({{"traffic", word_of(request_.traffic)},
                 {"sender", word_of(request_.sender)},
                 {"bytes", bytes}});
    print_line(line);
  }

  void refuse(const std::string& why) const {
    auto line = line_about("refused", peer_);
    line["message"] = why;
    print_line(line);
    write_line(socket_, json_text({{"accepted", false}, {"message", why}}));
  }

  int socket_;
  sockaddr_in peer_;
  const AnswerOptions& options_;
  Quota& quota_;
  Request request_;
  UniqueFd datagrams_;
};

}  // namespace

void answer(const AnswerOptions& options) {
  const auto listener = listen_on(options.bind, options.port);
  const bool real_time = enter_real_time();
  print_line({{"event", "answering"},
              {"address", options.bind},
              {"port", options.port},
              {"real_time", real_time}});
  const auto most = static_cast<std::size_t>(options.limits.most_clients) *
                    static_cast<std::size_t>(options.limits.most_connections);
  const auto most_age_ns =
      static_cast<std::int64_t>((options.limits.most_seconds + kAllowance_s) * 1e9);
  Quota quota{options.limits};
  Peers peers{[&](int socket, const sockaddr_in& peer) {
    Answer{socket, peer, options, quota}.run();
  }};
  for (;;) {
    pollfd polls[]{{STDIN_FILENO, POLLIN, 0}, {listener.get(), POLLIN, 0}};
    if (::poll(polls, 2, kTickMs) < 0) continue;
    if (polls[0].revents != 0 && told_to_stop()) break;
    if (polls[1].revents != 0) peers.accept_from(listener.get(), most);
    peers.close_older_than(most_age_ns);
  }
}

}  // namespace pacbench::probe
