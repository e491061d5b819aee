#pragma once

#include "harness/path/figures.h"

namespace pacbench::path {

/// A path with 50 Mbit/s to the other machine and 20 back, as tc counts, also when both ways carry
/// data at once. The round trip takes 40 ms, and no datagram is lost.
inline Measurement measured_path() {
  constexpr double kUpGoodput_mbit = 50 * 1448.0 / 1514;
  constexpr double kDownGoodput_mbit = 20 * 1448.0 / 1514;
  const auto way = [](double goodput_mbit) {
    const TcpRate alone{goodput_mbit, 3};
    const TcpRate paced{kPacedShare * goodput_mbit, 2};
    return Way{alone, alone, paced,
               Datagrams{goodput_mbit / 2, goodput_mbit / 2, 1000, 1000, 0, 0.1}};
  };
  Measurement measurement;
  measurement.host = "there";
  measurement.port = 4501;
  measurement.congestion_control = "cubic";
  measurement.round_trips.ms = {39, 40, 41};
  measurement.up = way(kUpGoodput_mbit);
  measurement.down = way(kDownGoodput_mbit);
  measurement.seconds = 18;
  measurement.megabytes = 60;
  return measurement;
}

}  // namespace pacbench::path
