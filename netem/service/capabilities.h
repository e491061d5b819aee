#pragma once

namespace pacbench::netem {

/// Throws std::runtime_error naming the capabilities that this process lacks and that a daemon
/// needs which serves other users than its own.
void require_service_capabilities();

}  // namespace pacbench::netem
