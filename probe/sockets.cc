#include "probe/sockets.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <sys/socket.h>

#include <stdexcept>

#include "base/check.h"
#include "base/frames.h"

namespace pacbench::probe {
namespace {

constexpr int kBacklog = 128;
// Large enough that a receiver that is woken late loses no datagrams; the kernel may allow less.
constexpr int kDatagramBufferBytes = 4 << 20;
constexpr std::int64_t kStampsBytes = 12;

const sockaddr* generic(const sockaddr_in& address) {
  return reinterpret_cast<const sockaddr*>(&address);
}

void bind_to(int socket, const std::string& address, std::uint16_t port) {
  const auto own = endpoint(address, port);
  const auto attempt = fmt::format("cannot bind to {} port {}", address, port);
  check(attempt.c_str(), ::bind(socket, generic(own), sizeof own));
}

sockaddr_in own_end(int socket) {
  sockaddr_in own{};
  socklen_t size = sizeof own;
  check("getsockname", ::getsockname(socket, reinterpret_cast<sockaddr*>(&own), &size));
  return own;
}

}  // namespace

sockaddr_in endpoint(const std::string& address, std::uint16_t port) {
  sockaddr_in result{};
  result.sin_family = AF_INET;
  result.sin_port = htons(port);
  if (::inet_pton(AF_INET, address.c_str(), &result.sin_addr) != 1) {
    throw std::invalid_argument{
        fmt::format("\"{}\" is not an address; expected IPv4 such as 10.77.0.2", address)};
  }
  return result;
}

std::string address_of(const sockaddr_in& peer) {
  char address[INET_ADDRSTRLEN]{};
  ::inet_ntop(AF_INET, &peer.sin_addr, address, sizeof address);
  return address;
}

std::string read_line(int socket, std::size_t most_bytes) {
  std::string line;
  char letter = 0;
  while (read_all(socket, &letter, 1)) {
    if (letter == '\n') return line;
    if (line.size() == most_bytes) {
      throw std::runtime_error{
          fmt::format("the other end sent a line of more than {} bytes", most_bytes)};
    }
    line += letter;
  }
  throw std::runtime_error{"the other end closed the connection before it sent a line"};
}

void write_line(int socket, std::string line) {
  line += '\n';
  write_all(socket, line.data(), line.size());
}

std::uint16_t own_port(int socket) { return ntohs(own_end(socket).sin_port); }

std::string own_address(int socket) { return address_of(own_end(socket)); }

void no_delay(int socket) {
  const int on = 1;
  check("TCP_NODELAY", ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on));
}

tcp_info info_of(int socket) {
  tcp_info info{};
  socklen_t size = sizeof info;
  check("TCP_INFO", ::getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &size));
  return info;
}

std::string congestion_control(int socket) {
  char name[16]{};
  socklen_t size = sizeof name;
  check("TCP_CONGESTION", ::getsockopt(socket, IPPROTO_TCP, TCP_CONGESTION, name, &size));
  return name;
}

std::int64_t path_mtu(int socket) {
  const auto info = info_of(socket);
  const bool has_stamps = (info.tcpi_options & TCPI_OPT_TIMESTAMPS) != 0;
  return info.tcpi_snd_mss + kTcpIpHeaderBytes - (has_stamps ? 0 : kStampsBytes);
}

UniqueFd connect_to(const std::string& address, std::uint16_t port, Kind kind, int retries) {
  const auto peer = endpoint(address, port);
  UniqueFd socket{check("socket", ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0))};
  check("TCP_SYNCNT",
        ::setsockopt(socket.get(), IPPROTO_TCP, TCP_SYNCNT, &retries, sizeof retries));
  const auto attempt = fmt::format("cannot connect to {} port {}", address, port);
  check(attempt.c_str(), ::connect(socket.get(), generic(peer), sizeof peer));
  no_delay(socket.get());
  write_plain(socket.get(), Hello{Hello::kMagic, kind});
  return socket;
}

UniqueFd listen_on(const std::string& address, std::uint16_t port) {
  UniqueFd socket{check("socket", ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0))};
  const int on = 1;
  check("SO_REUSEADDR", ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on));
  bind_to(socket.get(), address, port);
  check("listen", ::listen(socket.get(), kBacklog));
  return socket;
}

UniqueFd datagram_socket(std::uint16_t port, const std::string& address) {
  UniqueFd socket{check("socket", ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0))};
  bind_to(socket.get(), address, port);
  // The size exceeds net.core.rmem_max where this process may. After a pause of the host, many
  // datagrams come before their reader runs. Those that a full buffer drops would count as lost by
  // the network.
  const auto hold = [&](int option) {
    return ::setsockopt(socket.get(), SOL_SOCKET, option, &kDatagramBufferBytes,
                        sizeof kDatagramBufferBytes);
  };
  if (hold(SO_RCVBUFFORCE) < 0) check("SO_RCVBUF", hold(SO_RCVBUF));
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

}  // namespace pacbench::probe
