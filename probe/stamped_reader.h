#pragma once

#include <cstddef>
#include <cstdint>

namespace pacbench::probe {

/// Reads a connection and knows when the kernel received what was read last, whenever this program
/// was woken to read it (SO_TIMESTAMPNS).
class StampedReader {
 public:
  /// Throws std::system_error when the kernel stamps no arrivals.
  explicit StampedReader(int socket);

  /// Reads all of it; false when the connection ends before the first byte. Throws when it ends
  /// within.
  bool read(void* data, std::size_t bytes);

  /// Takes all of it out of the connection without copying it anywhere. Throws when that ends
  /// within.
  void discard(std::size_t bytes);

  /// When the last of these bytes came, on CLOCK_MONOTONIC.
  std::int64_t last_ns() const { return last_ns_; }

 private:
  enum class To { kMemory, kNowhere };
  /// At most so many bytes; 0 at the end of the connection.
  std::size_t take(void* data, std::size_t bytes, To to);

  int socket_;
  std::int64_t last_ns_ = 0;
};

}  // namespace pacbench::probe
