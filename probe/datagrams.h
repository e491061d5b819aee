#pragma once

#include <cstdint>
#include <string>

#include "base/json_reader.h"

namespace pacbench::probe {

struct DatagramsOptions {
  std::string address;
  std::uint16_t port = 0;
  int count = 0;
  int bytes = 200;
  double interval_us = 1000;
};

/// Sends numbered datagrams at even distances, and says over a connection beside them how many.
void send_datagrams(const DatagramsOptions& options);

/// The other end: what of them came, in which order and when; see the program's --help. Returns
/// once the sender has said how many there were and nothing has come for a while since.
Json receive_datagrams(int connection);

}  // namespace pacbench::probe
