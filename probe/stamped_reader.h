#pragma once

#include <sys/socket.h>
#include <time.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>

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

  /// Reads all `bytes`; false when the connection ends before the first. Throws when it ends after
  /// the first and before the last.
  bool read(void* data, std::size_t bytes);

  /// Reads `bytes` of the connection without copying them anywhere. Throws when the connection ends
  /// before all of them were read.
  void discard(std::size_t bytes);

  /// Reads at most `bytes` in the same way, and returns how many; 0 at the end of the connection.
  std::size_t discard_some(std::size_t bytes) { return take(nullptr, bytes, To::kNowhere); }

  /// The time at which the last bytes read arrived, on CLOCK_MONOTONIC.
  std::int64_t last_ns() const { return last_ns_; }

 private:
  enum class To { kMemory, kNowhere };
  /// Reads at most `bytes`, and returns how many; 0 at the end of the connection.
  std::size_t take(void* data, std::size_t bytes, To to);

  int socket_;
  DayClock clock_;
  std::int64_t last_ns_ = 0;
};

}  // namespace pacbench::probe
