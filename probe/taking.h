#pragma once

#include <cstdint>
#include <vector>

#include "base/json/json_reader.h"

namespace pacbench::probe {

/// The payload of a flow as it arrives.
class Taken {
 public:
  /// Adds `bytes` that the kernel received at `at_ns`, on CLOCK_MONOTONIC.
  void add(std::int64_t at_ns, std::int64_t bytes);

  std::int64_t bytes() const { return bytes_; }
  /// "bytes", "start_ns", "end_ns", "packet_mbit" and "samples" as the program's --help describes
  /// them.
  Json line() const;

 private:
  /// What came at once, and how long after what came before it.
  struct Arrival {
    double mbit = 0;  ///< its bytes over that time
    std::int64_t bytes = 0;
  };
  static double median_mbit(std::vector<Arrival> arrivals);

  std::int64_t bytes_ = 0;
  std::int64_t start_ns_ = 0;
  std::int64_t now_ns_ = 0;
  std::int64_t sampled_ns_ = 0;
  Json samples_ = Json::array();
  std::vector<Arrival> arrivals_;
};

/// Reads a flow from a connection until it ends, or `most_bytes` have come, and returns its line.
/// Times are those at which the kernel received the bytes, however late this program was woken to
/// read them.
Json take_flow(int socket, std::int64_t most_bytes);

}  // namespace pacbench::probe
