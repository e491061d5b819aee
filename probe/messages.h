#pragma once

#include <cstdint>
#include <string>

namespace pacbench::probe {

struct MessagesOptions {
  std::string address;
  std::uint16_t port = 0;
  std::int64_t bytes = 0;
  int count = 0;
  int warm_up = 3;
  double idle_ms = 60;
};

/// Sends messages over one connection, each `idle_ms` after the one before had arrived.
void send_messages(const MessagesOptions& options);

}  // namespace pacbench::probe
