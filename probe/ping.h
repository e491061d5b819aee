#pragma once

#include <cstdint>
#include <string>

namespace pacbench::probe {

/// One byte there and back over a connection, again and again, with a line for each: at most so
/// many, and for at most so many seconds. Returns how many there were.
struct PingShape {
  std::int64_t count = 0;
  double interval_ms = 10;
  double seconds = 0;  ///< 0: no limit
};
std::int64_t send_pings(int socket, const PingShape& shape);

/// The other end: sends each byte back until the connection ends, or after `most` of them. Returns
/// how many there were.
std::int64_t echo_pings(int socket, std::int64_t most);

struct PingOptions {
  std::string address;
  std::uint16_t port = 0;
  int count = 0;
  double interval_ms = 10;
};

/// One byte there and back over one TCP connection, again and again.
void ping(const PingOptions& options);

}  // namespace pacbench::probe
