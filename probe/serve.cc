#include "probe/commands.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <limits>
#include <list>
#include <memory>
#include <stdexcept>
#include <system_error>
#include <thread>

#include "base/check.h"
#include "base/clock.h"
#include "probe/datagrams.h"
#include "probe/sending.h"
#include "probe/sockets.h"
#include "probe/stop.h"
#include "probe/taking.h"

namespace pacbench::probe {
namespace {

constexpr auto kNoLimit = std::numeric_limits<std::int64_t>::max();
constexpr int kTickMs = 1000;
// A connection takes longer than its traffic: what was sent still has to arrive.
constexpr double kAllowance_s = 30;
constexpr std::int64_t kNsPerMs = 1'000'000;
constexpr std::int64_t kFirstDatagram_ns = 3000 * kNsPerMs;

/// Prints a line about a sender: "event", the sender's address and port, and `more`.
void report(const char* event, const sockaddr_in& peer, const Json& more) {
  Json line{{"event", event}, {"from", address_of(peer)}, {"port", ntohs(peer.sin_port)}};
  line.update(more);
  print_line(line);
}

/// Serves a connection. An exception that it throws is printed as a line "error".
using Take = std::function<void(int socket, const sockaddr_in& peer)>;

/// One connection and the thread that reads it.
class Peer {
 public:
  Peer(UniqueFd socket, const sockaddr_in& address, const Take& take)
      : socket_{std::move(socket)}, thread_{[this, address, &take] {
          try {
            take(socket_.get(), address);
          } catch (const std::exception& error) {
            report("error", address, {{"message", error.what()}});
          }
          // The sender waits for this shutdown to know that all has arrived.
          ::shutdown(socket_.get(), SHUT_RDWR);
          done_ = true;
        }} {}

  bool done() const { return done_; }
  std::int64_t since_ns() const { return since_ns_; }
  void end() const { ::shutdown(socket_.get(), SHUT_RDWR); }

 private:
  UniqueFd socket_;
  std::int64_t since_ns_ = monotonic_ns();
  std::atomic<bool> done_{false};
  std::jthread thread_;
};

/// The connections of a server, each in a thread of its own. The destructor closes them.
class Peers {
 public:
  struct Limits {
    std::size_t connections = SIZE_MAX;  ///< at a time; those beyond are closed at once
    std::int64_t age_ns = kNoLimit;      ///< after which a connection is closed
    int tick_ms = -1;                    ///< how often ages are looked at; -1: never
  };

  explicit Peers(Take take) : take_{std::move(take)} {}
  Peers(const Peers&) = delete;
  Peers& operator=(const Peers&) = delete;
  ~Peers() {
    for (const auto& peer : peers_) peer->end();
  }

  /// Accepts connections until told to stop.
  void serve(int listener, const Limits& limits) {
    for (;;) {
      pollfd polls[]{{STDIN_FILENO, POLLIN, 0}, {listener, POLLIN, 0}};
      if (::poll(polls, 2, limits.tick_ms) < 0) continue;
      if (polls[0].revents != 0 && told_to_stop()) return;
      if (polls[1].revents != 0) accept_from(listener, limits.connections);
      const auto now_ns = monotonic_ns();
      for (const auto& peer : peers_) {
        if (now_ns - peer->since_ns() > limits.age_ns) peer->end();
      }
    }
  }

 private:
  void accept_from(int listener, std::size_t most) {
    sockaddr_in address{};
    socklen_t size = sizeof address;
    UniqueFd socket{check(
        "accept", ::accept4(listener, reinterpret_cast<sockaddr*>(&address), &size, SOCK_CLOEXEC))};
    peers_.remove_if([](const auto& peer) { return peer->done(); });
    if (peers_.size() >= most) return;
    peers_.push_back(std::make_unique<Peer>(std::move(socket), address, take_));
  }

  Take take_;
  std::list<std::unique_ptr<Peer>> peers_;
};

void take_messages(int socket, const sockaddr_in& peer) {
  MessageHead head;
  StampedReader reader{socket};
  while (reader.read(&head, sizeof head)) {
    const auto rest = static_cast<std::size_t>(head.bytes) - sizeof head;
    if (!reader.read(nullptr, rest)) {
      throw std::runtime_error{"the connection ended in the middle of a message"};
    }
    const auto end_ns = monotonic_ns();
    // The sender's idle time begins with this answer, not when the message's last byte left.
    write_all(socket, "!", 1);
    if (head.number < 0) continue;
    report("message", peer,
           {{"number", head.number},
            {"bytes", head.bytes},
            {"start_ns", head.start_ns},
            {"arrived_ns", reader.last_ns()},
            {"end_ns", end_ns}});
  }
}

void take(int socket, const sockaddr_in& peer) {
  no_delay(socket);
  Hello hello;
  if (!read_plain(socket, hello)) return;
  if (hello.magic != Hello::kMagic) throw std::runtime_error{"the other end is not pacbench-probe"};
  if (hello.kind == Kind::kFlow) report("flow", peer, take_flow(socket, kNoLimit));
  if (hello.kind == Kind::kMessages) take_messages(socket, peer);
  if (hello.kind == Kind::kPing) echo_pings(socket, kNoLimit);
  if (hello.kind == Kind::kDatagrams || hello.kind == Kind::kOverflow) {
    report("datagrams", peer, receive_datagrams(socket, hello.kind));
  }
}

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
      const auto udp_port = datagrams_ ? own_port(datagrams_.get()) : std::uint16_t{0};
      write_line(socket_, json_text({{"accepted", true}, {"udp_port", udp_port}}));
      const auto bytes = carry();
      grant.used(bytes);
      report("answered", peer_,
             {{"traffic", word_of(request_.traffic)},
              {"sender", word_of(request_.sender)},
              {"bytes", bytes}});
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

  void refuse(const std::string& why) const {
    report("refused", peer_, {{"message", why}});
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

void serve(std::uint16_t port) {
  const auto listener = listen_on("0.0.0.0", port);
  const bool real_time = enter_real_time();
  print_line({{"event", "serving"}, {"port", port}, {"real_time", real_time}});
  Peers{take}.serve(listener.get(), {});
}

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
  peers.serve(listener.get(), {most, most_age_ns, kTickMs});
}

}  // namespace pacbench::probe
