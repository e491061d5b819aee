#pragma once

#include <cstdint>

namespace pacbench::probe {

/// Receives flows, messages, pings and datagrams until standard input ends, each connection in a
/// thread of its own. Sends pings back, and prints a report of all else. Connections still open at
/// the end are closed. A flow among them is reported as far as it came.
void serve(std::uint16_t port);

}  // namespace pacbench::probe
