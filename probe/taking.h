#pragma once

#include <cstdint>

#include "base/json_reader.h"

namespace pacbench::probe {

/// Takes a flow out of a connection until it ends, or after `most_bytes` of it: "bytes",
/// "start_ns", "end_ns" and "samples" as the program's --help has them.
Json take_flow(int socket, std::int64_t most_bytes);

}  // namespace pacbench::probe
