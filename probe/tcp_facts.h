#pragma once

#include <linux/tcp.h>

#include <cstdint>
#include <string>

namespace pacbench::probe {

/// The kernel's TCP_INFO of a connection.
tcp_info info_of(int socket);
std::string congestion_control(int socket);

/// The largest IP packet that the connection sends: the least MTU of both ends' links and of the
/// routers on the way that have reported theirs.
std::int64_t path_mtu(int socket);

}  // namespace pacbench::probe
