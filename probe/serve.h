#pragma once

#include <cstdint>

namespace pacbench::probe {

/// Takes what the other subcommands send until standard input ends, each connection in a thread
/// of its own, and prints what came. Those that are open then are closed and reported as they are.
void serve(std::uint16_t port);

}  // namespace pacbench::probe
