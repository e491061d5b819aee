#pragma once

#include <cstdint>
#include <string>

namespace pacbench::probe {

struct PingShape {
  std::int64_t count = 0;
  double interval_ms = 10;
  double seconds = 0;  ///< 0: no limit
};
/// Sends one byte and waits for it to come back, again and again, and prints a line for each. Ends
/// after `count` pings, after `seconds` or when told to stop. Returns the number of pings.
std::int64_t send_pings(int socket, const PingShape& shape);

/// Sends each byte of a peer's pings back until the connection ends, or `most` bytes have come.
/// Returns how many bytes it sent back.
std::int64_t echo_pings(int socket, std::int64_t most);

struct PingOptions {
  std::string address;
  std::uint16_t port = 0;
  int count = 0;
  double interval_ms = 10;
};

/// Connects and sends pings of one byte over one TCP connection.
void ping(const PingOptions& options);

}  // namespace pacbench::probe
