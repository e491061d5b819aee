#pragma once

#include <linux/tcp.h>
#include <netinet/in.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

#include "base/unique_fd.h"
#include "probe/hello.h"

namespace pacbench::probe {

/// A connection to `address` (IPv4, dotted) that has no send delay (TCP_NODELAY) and has sent its
/// hello. Where nothing answers, the kernel retries `retries` times (TCP_SYNCNT): 2 retries take 7
/// seconds. From Linux 6.5 on they take 11, because the kernel adds 4 retries by default. Throws
/// std::system_error naming the address when it cannot connect, and std::invalid_argument when
/// `address` is not an address.
UniqueFd connect_to(const std::string& address, std::uint16_t port, Kind kind, int retries = 6);

/// A listening socket on an address of this host; 0.0.0.0 is all of them.
UniqueFd listen_on(const std::string& address, std::uint16_t port);

/// A socket for datagrams on an address of this host, by default on all; port 0: any free one.
UniqueFd datagram_socket(std::uint16_t port, const std::string& address = "0.0.0.0");

/// Reads a line of at most `most_bytes` bytes from a connection. Throws std::runtime_error when the
/// connection ends before the line does, or the line is longer.
std::string read_line(int socket, std::size_t most_bytes);
void write_line(int socket, std::string line);

std::string address_of(const sockaddr_in& peer);
sockaddr_in endpoint(const std::string& address, std::uint16_t port);
std::uint16_t own_port(int socket);
std::string own_address(int socket);
void no_delay(int socket);

/// The kernel's TCP_INFO of a connection.
tcp_info info_of(int socket);
std::string congestion_control(int socket);

/// The largest IP packet that the connection sends: the least MTU of both ends' links and of the
/// routers on the way that have reported theirs.
std::int64_t path_mtu(int socket);

/// Writes all `bytes`. Throws std::system_error when the peer has gone.
void write_all(int socket, const void* data, std::size_t bytes);

/// Reads all `bytes`; false when the connection ends before the first byte. Throws when it ends
/// later, before the last.
bool read_all(int socket, void* data, std::size_t bytes);

template <typename Plain>
void write_plain(int socket, const Plain& value) {
  static_assert(std::is_trivially_copyable_v<Plain>);
  write_all(socket, &value, sizeof value);
}

template <typename Plain>
bool read_plain(int socket, Plain& value) {
  static_assert(std::is_trivially_copyable_v<Plain>);
  return read_all(socket, &value, sizeof value);
}

}  // namespace pacbench::probe
