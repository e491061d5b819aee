#pragma once

#include <cstdint>
#include <string>

namespace pacbench::probe {

struct FlowOptions {
  std::string address;
  std::uint16_t port = 0;
  double seconds = 0;
  double rate_mbit = 0;  ///< of TCP payload; 0: what TCP gets
  bool await_go = false;
};

/// Runs one TCP flow, and prints lines from TCP_INFO every 100 ms and at its end.
void run_flow(const FlowOptions& options);

}  // namespace pacbench::probe
