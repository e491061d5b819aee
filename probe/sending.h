#pragma once

#include <cstdint>
#include <functional>

namespace pacbench::probe {

/// The length and the rate of a flow.
struct FlowShape {
  double seconds = 0;
  double rate_mbit = 0;         ///< of TCP payload; 0: what TCP gets
  std::int64_t most_bytes = 0;  ///< the flow ends after so many; 0: no limit
};

/// Lets the kernel hold little more than `bytes` that it has not sent yet (TCP_NOTSENT_LOWAT).
void limit_unsent(int socket, int bytes);

/// Sends a flow over a connection, from `start_ns` on, until the flow has its full length or this
/// program is told to stop. Calls `report` every 100 ms. Returns the bytes that were handed to the
/// kernel.
std::int64_t send_flow(int socket, const FlowShape& shape, std::int64_t start_ns,
                       const std::function<void()>& report);

/// Ends the sending. Waits until the peer has read everything and answers or closes, for 10 s at
/// most.
void drain(int socket);

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

}  // namespace pacbench::probe
