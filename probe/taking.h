#pragma once

#include <sys/socket.h>
#include <time.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "base/json/json_reader.h"

namespace pacbench::probe {

/// Makes the kernel stamp what arrives at a socket. Throws std::system_error where it refuses.
void stamp_arrivals(int socket);

/// Converts the kernel's stamps, which are times of day, to CLOCK_MONOTONIC. The offset between the
/// two clocks is constant until somebody sets the time of day. Each reading of both clocks bounds
/// it from both sides, however long this program is held up between them, so bounds only get
/// narrower.
class DayClock {
 public:
  /// Never earlier than the stamp, and later by at most the shortest time that reading the clocks
  /// has taken.
  std::int64_t monotonic_of(const timespec& stamp);

 private:
  std::int64_t least_offset_ns_ = std::numeric_limits<std::int64_t>::min();
  std::int64_t most_offset_ns_ = std::numeric_limits<std::int64_t>::max();
};

/// The time on CLOCK_MONOTONIC at which the kernel received what a recvmsg() brought; absent where
/// it was not stamped.
std::optional<std::int64_t> stamp_of(msghdr& message, DayClock& clock);

/// Reads a connection and records when the kernel received what was read last (SO_TIMESTAMPNS),
/// however late this program was woken to read it.
class StampedReader {
 public:
  /// Throws std::system_error when the kernel refuses to stamp arrivals on this socket.
  explicit StampedReader(int socket);

  /// Reads all `bytes` to `data`, or nowhere if that is null; false when the connection ends before
  /// the first. Throws when it ends after the first and before the last.
  bool read(void* data, std::size_t bytes);

  /// Reads at most `bytes`, and returns how many; 0 at the end of the connection.
  std::size_t read_some(void* data, std::size_t bytes);

  /// The time at which the last bytes read arrived, on CLOCK_MONOTONIC.
  std::int64_t last_ns() const { return last_ns_; }

 private:
  int socket_;
  DayClock clock_;
  std::int64_t last_ns_ = 0;
};

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
