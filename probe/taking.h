#pragma once

#include <cstdint>

#include "base/json_reader.h"

namespace pacbench::probe {

/// Reads a flow from a connection until it ends, or `most_bytes` have come. Returns "bytes",
/// "start_ns", "end_ns", "packet_mbit" and "samples" as the program's --help describes them. Times
/// are those at which the kernel received the bytes, however late this program was woken to read
/// them.
Json take_flow(int socket, std::int64_t most_bytes);

}  // namespace pacbench::probe
