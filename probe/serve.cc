#include "probe/serve.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <exception>
#include <list>
#include <thread>

#include "base/check.h"
#include "base/clock.h"
#include "probe/datagrams.h"
#include "probe/sockets.h"
#include "probe/stamped_reader.h"
#include "probe/stop.h"

namespace pacbench::probe {
namespace {

constexpr std::int64_t kSampleNs = 10'000'000;
constexpr std::size_t kDiscardedPart = 1 << 20;

/// Whom a line is about: the sender's address and port.
Json line_of(const char* event, const sockaddr_in& peer) {
  char address[INET_ADDRSTRLEN]{};
  ::inet_ntop(AF_INET, &peer.sin_addr, address, sizeof address);
  return {{"event", event}, {"from", address}, {"port", ntohs(peer.sin_port)}};
}

void take_flow(int socket, const sockaddr_in& peer) {
  std::int64_t bytes = 0;
  std::int64_t start_ns = 0;
  std::int64_t last_ns = 0;
  std::int64_t now_ns = 0;
  auto samples = Json::array();
  while (const auto count = discard(socket, kDiscardedPart)) {
    bytes += count;
    now_ns = monotonic_ns();
    if (start_ns == 0) start_ns = now_ns;
    if (now_ns - last_ns < kSampleNs) continue;
    samples.push_back({now_ns, bytes});
    last_ns = now_ns;
  }
  samples.push_back({now_ns, bytes});
  auto line = line_of("flow", peer);
  line.update({{"bytes", bytes}, {"start_ns", start_ns}, {"end_ns", now_ns}});
  line["samples"] = std::move(samples);
  print_line(line);
}

void take_messages(int socket, const sockaddr_in& peer) {
  MessageHead head;
  StampedReader reader{socket};
  while (reader.read(&head, sizeof head)) {
    reader.discard(static_cast<std::size_t>(head.bytes) - sizeof head);
    const auto end_ns = monotonic_ns();
    // The sender is idle from here on, not from when its last byte left.
    write_all(socket, "!", 1);
    if (head.number < 0) continue;
    auto line = line_of("message", peer);
    line.update({{"number", head.number},
                 {"bytes", head.bytes},
                 {"start_ns", head.start_ns},
                 {"arrived_ns", reader.last_ns()},
                 {"end_ns", end_ns}});
    print_line(line);
  }
}

void take_pings(int socket) {
  char letter = 0;
  while (read_all(socket, &letter, 1)) write_all(socket, &letter, 1);
}

void take_datagrams(int socket, const sockaddr_in& peer) {
  auto line = line_of("datagrams", peer);
  line.update(receive_datagrams(socket));
  print_line(line);
}

void take(int socket, const sockaddr_in& peer) {
  no_delay(socket);
  Hello hello;
  if (!read_plain(socket, hello)) return;
  if (hello.magic != Hello::kMagic) throw std::runtime_error{"a peer that is no pacbench-probe"};
  if (hello.kind == Kind::kFlow) take_flow(socket, peer);
  if (hello.kind == Kind::kMessages) take_messages(socket, peer);
  if (hello.kind == Kind::kPing) take_pings(socket);
  if (hello.kind == Kind::kDatagrams) take_datagrams(socket, peer);
}

/// One connection and the thread that reads it.
class Peer {
 public:
  Peer(UniqueFd socket, const sockaddr_in& address)
      : socket_{std::move(socket)}, thread_{[this, address] {
          try {
            take(socket_.get(), address);
          } catch (const std::exception& error) {
            auto line = line_of("error", address);
            line["message"] = error.what();
            print_line(line);
          }
          // The sender waits for this to know that all has arrived.
          ::shutdown(socket_.get(), SHUT_RDWR);
          done_ = true;
        }} {}

  bool done() const { return done_; }
  void end() const { ::shutdown(socket_.get(), SHUT_RDWR); }

 private:
  UniqueFd socket_;
  std::atomic<bool> done_{false};
  std::jthread thread_;
};

}  // namespace

void serve(std::uint16_t port) {
  const auto listener = listen_on(port);
  const bool real_time = enter_real_time();
  print_line({{"event", "serving"}, {"port", port}, {"real_time", real_time}});
  std::list<Peer> peers;
  for (;;) {
    pollfd polls[]{{STDIN_FILENO, POLLIN, 0}, {listener.get(), POLLIN, 0}};
    if (::poll(polls, 2, -1) < 0) continue;
    if (polls[0].revents != 0 && told_to_stop()) break;
    if (polls[1].revents == 0) continue;
    sockaddr_in address{};
    socklen_t size = sizeof address;
    UniqueFd socket{check("accept", ::accept4(listener.get(), reinterpret_cast<sockaddr*>(&address),
                                              &size, SOCK_CLOEXEC))};
    peers.remove_if([](const Peer& peer) { return peer.done(); });
    peers.emplace_back(std::move(socket), address);
  }
  for (const auto& peer : peers) peer.end();
}

}  // namespace pacbench::probe
