#pragma once

#include <cstdint>

namespace pacbench::probe {

/// Receives what the other subcommands send until standard input ends, each connection in a thread
/// of its own, and prints what came. Connections still open then are closed. A flow among them is
/// reported as far as it came.
void serve(std::uint16_t port);

}  // namespace pacbench::probe
