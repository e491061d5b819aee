#pragma once

namespace pacbench::netem {

/// Throws std::runtime_error when this process lacks a capability that a daemon for other users
/// needs. The error names the missing capabilities.
void require_service_capabilities();

}  // namespace pacbench::netem
