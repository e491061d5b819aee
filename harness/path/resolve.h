#pragma once

#include <string>

namespace pacbench::path {

/// The IPv4 address of a host, dotted. Throws ConfigError naming the host when it has none.
std::string ipv4_of(const std::string& host);

}  // namespace pacbench::path
