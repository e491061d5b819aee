// The program that the emulation tests run inside a worker's namespace. It looks at the network as
// any program does. Only `counters` and `time-counters` use pacbench's own code to read counters:
// the first to compare them with the daemon's, the second to time the reading.
#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/keyctl.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <exception>
#include <string>
#include <tuple>
#include <vector>

#include "base/check.h"
#include "base/clock.h"
#include "base/json/message_socket.h"
#include "base/traffic_counters.h"

namespace {

using namespace pacbench;

constexpr int kCountersFd = 3;  // the daemon puts it behind stdin, stdout and stderr
constexpr std::uint16_t kPort = 4000;
constexpr std::size_t kPart = 64 * 1024;

UniqueFd tcp_socket() {
  return UniqueFd{check("socket", ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0))};
}

sockaddr_in endpoint(const char* address) {
  sockaddr_in result{};
  result.sin_family = AF_INET;
  result.sin_port = htons(kPort);
  ::inet_pton(AF_INET, address, &result.sin_addr);
  return result;
}

/// Receives `bytes` from each of `senders` at once. Prints the seconds from the first byte to the
/// last.
void receive(int senders, long bytes) {
  const auto listener = tcp_socket();
  const auto any = endpoint("0.0.0.0");
  check("bind", ::bind(listener.get(), reinterpret_cast<const sockaddr*>(&any), sizeof any));
  check("listen", ::listen(listener.get(), senders));
  fmt::print("listening\n");
  std::fflush(stdout);
  std::vector<UniqueFd> peers;
  for (int sender = 0; sender < senders; ++sender) {
    peers.emplace_back(check("accept", ::accept(listener.get(), nullptr, nullptr)));
  }
  std::vector<char> part(kPart);
  std::int64_t start = 0;
  for (const auto& peer : peers) {
    for (long left = bytes; left > 0;) {
      const auto count = check("recv", ::recv(peer.get(), part.data(), part.size(), 0));
      if (count == 0) throw std::runtime_error{"a sender stopped early"};
      if (start == 0) start = monotonic_ns();
      left -= count;
    }
  }
  fmt::print("{:.6f}\n", seconds(monotonic_ns() - start));
}

void send(const char* address, long bytes) {
  const auto socket = tcp_socket();
  const auto peer = endpoint(address);
  check("connect", ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&peer), sizeof peer));
  const std::vector<char> part(kPart);
  for (long left = bytes; left > 0;) {
    const auto size = std::min<std::size_t>(part.size(), static_cast<std::size_t>(left));
    left -= check("send", ::send(socket.get(), part.data(), size, MSG_NOSIGNAL));
  }
}

/// Sends a datagram to each of `count` addresses from `first` on. Each datagram has a socket of
/// its own, because datagrams that wait for an answer to ARP fill a socket.
void send_datagrams(const char* first, int count) {
  auto peer = endpoint(first);
  for (const auto lowest = ntohl(peer.sin_addr.s_addr); count-- > 0;) {
    const UniqueFd socket{check("socket", ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0))};
    peer.sin_addr.s_addr = htonl(lowest + static_cast<std::uint32_t>(count));
    // The kernel may refuse one address, and the others are tried all the same.
    std::ignore =
        ::sendto(socket.get(), "", 1, 0, reinterpret_cast<const sockaddr*>(&peer), sizeof peer);
  }
}

/// Prints the congestion control that a connection over the shaped link really gets.
void congestion_control(const char* address) {
  const auto socket = tcp_socket();
  const auto peer = endpoint(address);
  check("connect", ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&peer), sizeof peer));
  char name[16]{};
  socklen_t size = sizeof name;
  check("TCP_CONGESTION", ::getsockopt(socket.get(), IPPROTO_TCP, 13, name, &size));
  fmt::print("{}\n", name);
}

void counters() {
  TrafficCounters up{static_cast<int>(::if_nametoindex("eth0"))};
  TrafficCounters down{UniqueFd{kCountersFd}, std::atoi(std::getenv("PACBENCH_PORT_INDEX"))};
  const auto sent = up.read();
  const auto received = down.read();
  fmt::print("{} {} {} {}\n", sent.bytes, sent.packets, received.bytes, received.packets);
}

/// Prints the mean time of reading both directions' counters, in microseconds.
void time_counters(long times) {
  TrafficCounters up{static_cast<int>(::if_nametoindex("eth0"))};
  TrafficCounters down{UniqueFd{kCountersFd}, std::atoi(std::getenv("PACBENCH_PORT_INDEX"))};
  const auto start = monotonic_ns();
  for (long i = 0; i < times; ++i) {
    up.read();
    down.read();
  }
  fmt::print("{:.1f}\n",
             static_cast<double>(monotonic_ns() - start) * 1e-3 / static_cast<double>(times));
}

/// Asks, through the daemon's socket, to take the port down; prints the kernel's answer.
void try_change() {
  struct {
    nlmsghdr header;
    ifinfomsg link;
  } request{};
  request.header.nlmsg_len = sizeof request;
  request.header.nlmsg_type = RTM_NEWLINK;
  request.header.nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK;
  request.link.ifi_index = std::atoi(std::getenv("PACBENCH_PORT_INDEX"));
  request.link.ifi_change = IFF_UP;
  check("send", ::send(kCountersFd, &request, sizeof request, 0));
  char buffer[4096];
  check("recv", ::recv(kCountersFd, buffer, sizeof buffer, 0));
  nlmsgerr answer{};
  std::memcpy(&answer, buffer + sizeof(nlmsghdr), sizeof answer);
  fmt::print("{}\n", std::strerror(-answer.error));
}

/// Prints the number of the session's keyring; 0 where there are no keyrings.
void session_keyring() {
  fmt::print("{}\n", std::max(0L, ::syscall(SYS_keyctl, KEYCTL_GET_KEYRING_ID,
                                            KEY_SPEC_SESSION_KEYRING, 0)));
}

/// Sends descriptors through the socket at stdout, so that whoever receives them keeps the
/// namespaces: those of this process, and that of the switches, to which the counters' socket
/// belongs.
void hand_over() {
  const UniqueFd network{check("open", ::open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC))};
  const UniqueFd processes{check("open", ::open("/proc/self/ns/pid", O_RDONLY | O_CLOEXEC))};
  MessageSocket{UniqueFd{STDOUT_FILENO}}.send(Json::object(),
                                              {network.get(), processes.get(), kCountersFd});
}

/// Stays until it is killed. So does a child, which it starts in a process session of its own and
/// never waits for.
void hold() {
  const bool child = ::fork() == 0;
  if (child) ::setsid();
  if (!child) fmt::print("holding\n");
  std::fflush(stdout);
  for (;;) ::pause();
}

int run(const std::vector<std::string>& words) {
  const auto is = [&](const char* name, std::size_t count) {
    return words.size() == count && words[0] == name;
  };
  if (is("receive", 3)) return receive(std::stoi(words[1]), std::stol(words[2])), 0;
  if (is("send", 3)) return send(words[1].c_str(), std::stol(words[2])), 0;
  if (is("datagrams", 3)) return send_datagrams(words[1].c_str(), std::stoi(words[2])), 0;
  if (is("congestion-control", 2)) return congestion_control(words[1].c_str()), 0;
  if (is("counters", 1)) return counters(), 0;
  if (is("time-counters", 2)) return time_counters(std::stol(words[1])), 0;
  if (is("try-change", 1)) return try_change(), 0;
  if (is("session-keyring", 1)) return session_keyring(), 0;
  if (is("hand-over", 1)) return hand_over(), 0;
  if (is("hold", 1)) return hold(), 0;
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    fmt::print(stderr, "probe: {}\n", error.what());
    return 1;
  }
}
