#include "probe/tcp_facts.h"

#include <netinet/in.h>
#include <sys/socket.h>

#include "base/check.h"
#include "base/frames.h"

namespace pacbench::probe {
namespace {

constexpr std::int64_t kStampsBytes = 12;

}  // namespace

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

}  // namespace pacbench::probe
