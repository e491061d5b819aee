#include "probe/peers.h"

#include <sys/socket.h>

#include <atomic>
#include <cstdint>
#include <exception>
#include <thread>

#include "base/check.h"
#include "base/clock.h"
#include "probe/sockets.h"
#include "probe/stop.h"

namespace pacbench::probe {

Json line_about(const char* event, const sockaddr_in& peer) {
  return {{"event", event}, {"from", address_of(peer)}, {"port", ntohs(peer.sin_port)}};
}

/// One connection and the thread that reads it.
class Peers::Peer {
 public:
  Peer(UniqueFd socket, const sockaddr_in& address, const Take& take)
      : socket_{std::move(socket)}, thread_{[this, address, &take] {
          try {
            take(socket_.get(), address);
          } catch (const std::exception& error) {
            auto line = line_about("error", address);
            line["message"] = error.what();
            print_line(line);
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

Peers::Peers(Take take) : take_{std::move(take)} {}

Peers::~Peers() {
  for (const auto& peer : peers_) peer->end();
}

void Peers::accept_from(int listener, std::size_t most) {
  sockaddr_in address{};
  socklen_t size = sizeof address;
  UniqueFd socket{check(
      "accept", ::accept4(listener, reinterpret_cast<sockaddr*>(&address), &size, SOCK_CLOEXEC))};
  peers_.remove_if([](const auto& peer) { return peer->done(); });
  if (peers_.size() >= most) return;
  peers_.push_back(std::make_unique<Peer>(std::move(socket), address, take_));
}

void Peers::close_older_than(std::int64_t age_ns) {
  const auto now_ns = monotonic_ns();
  for (const auto& peer : peers_) {
    if (now_ns - peer->since_ns() > age_ns) peer->end();
  }
}

}  // namespace pacbench::probe
