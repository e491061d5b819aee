#pragma once

#include <cstdint>
#include <string>

#include "probe/request.h"

namespace pacbench::probe {

struct AskOptions {
  std::string address;
  std::uint16_t port = 0;
  Request request;
  bool await_go = false;
};

/// Exchanges traffic with `answer` on another host. Prints the receiver's counts of a flow or of
/// datagrams; for pings, each round trip.
void ask(const AskOptions& options);

}  // namespace pacbench::probe
