#pragma once

#include <cstdint>
#include <string>

namespace pacbench::probe {

struct PingOptions {
  std::string address;
  std::uint16_t port = 0;
  int count = 0;
  double interval_ms = 10;
};

/// One byte there and back over one TCP connection, again and again.
void ping(const PingOptions& options);

}  // namespace pacbench::probe
