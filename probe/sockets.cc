#include "probe/sockets.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <stdexcept>

#include "base/check.h"

namespace pacbench::probe {
namespace {

constexpr int kBacklog = 128;

const sockaddr* generic(const sockaddr_in& address) {
  return reinterpret_cast<const sockaddr*>(&address);
}

void bind_to(int socket, std::uint16_t port) {
  const auto any = endpoint("0.0.0.0", port);
  const auto attempt = fmt::format("bind port {}", port);
  check(attempt.c_str(), ::bind(socket, generic(any), sizeof any));
}

}  // namespace

sockaddr_in endpoint(const std::string& address, std::uint16_t port) {
  sockaddr_in result{};
  result.sin_family = AF_INET;
  result.sin_port = htons(port);
  if (::inet_pton(AF_INET, address.c_str(), &result.sin_addr) != 1) {
    throw std::invalid_argument{
        fmt::format("\"{}\" is no address; expected IPv4 such as 10.77.0.2", address)};
  }
  return result;
}

std::uint16_t own_port(int socket) {
  sockaddr_in own{};
  socklen_t size = sizeof own;
  check("getsockname", ::getsockname(socket, reinterpret_cast<sockaddr*>(&own), &size));
  return ntohs(own.sin_port);
}

void no_delay(int socket) {
  const int on = 1;
  check("TCP_NODELAY", ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on));
}

UniqueFd connect_to(const std::string& address, std::uint16_t port, Kind kind) {
  const auto peer = endpoint(address, port);
  UniqueFd socket{check("socket", ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0))};
  const auto attempt = fmt::format("connect to {} port {}", address, port);
  check(attempt.c_str(), ::connect(socket.get(), generic(peer), sizeof peer));
  no_delay(socket.get());
  write_plain(socket.get(), Hello{Hello::kMagic, kind});
  return socket;
}

UniqueFd listen_on(std::uint16_t port) {
  UniqueFd socket{check("socket", ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0))};
  const int on = 1;
  check("SO_REUSEADDR", ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on));
  bind_to(socket.get(), port);
  check("listen", ::listen(socket.get(), kBacklog));
  return socket;
}

UniqueFd datagram_socket(std::uint16_t port) {
  UniqueFd socket{check("socket", ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0))};
  bind_to(socket.get(), port);
  return socket;
}

void write_all(int socket, const void* data, std::size_t bytes) {
  const auto* next = static_cast<const char*>(data);
  while (bytes > 0) {
    const auto count = ::send(socket, next, bytes, MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    check("send", count);
    next += count;
    bytes -= static_cast<std::size_t>(count);
  }
}

bool read_all(int socket, void* data, std::size_t bytes) {
  auto* next = static_cast<char*>(data);
  for (std::size_t left = bytes; left > 0;) {
    const auto count = ::recv(socket, next, left, 0);
    if (count < 0 && errno == EINTR) continue;
    check("recv", count);
    if (count == 0 && left == bytes) return false;
    if (count == 0) throw std::runtime_error{"the connection ended in the middle of a message"};
    next += count;
    left -= static_cast<std::size_t>(count);
  }
  return true;
}

std::int64_t discard(int socket, std::size_t bytes) {
  ssize_t count = 0;
  do {
    count = ::recv(socket, nullptr, bytes, MSG_TRUNC);
  } while (count < 0 && errno == EINTR);
  return count < 0 ? 0 : count;
}

}  // namespace pacbench::probe
