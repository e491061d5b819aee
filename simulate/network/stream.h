#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "simulate/network/queues.h"

namespace pacbench::simulate {

/// A number of frames, and their bytes, headers included.
struct Traffic {
  std::int64_t bytes = 0;
  std::int64_t frames = 0;

  Traffic& operator+=(const Traffic& other) {
    bytes += other.bytes;
    frames += other.frames;
    return *this;
  }
};

/// The frames that carry `stream_bytes` bytes when these are written to a connection at once.
Traffic frames_of(std::int64_t stream_bytes, int mtu);

/// One direction of a TCP connection: bytes arrive in the order in which they are written. The
/// kernel cuts them into packets. It lets two packets of each connection into the queue of the
/// worker's link (tcp_limit_output_bytes), so connections of one worker take turns there. A message
/// longer than the congestion window waits for acknowledgements, which wait in queues themselves.
///
/// The window is that of CUBIC without losses (Linux, net/ipv4/tcp_cubic.c). It begins with ten
/// segments. Up to 16 segments it grows by one for each acknowledged segment. At 16, HyStart ends
/// slow start, since queues delay the acknowledgements. Afterwards the window grows by a twentieth
/// of a segment for each acknowledged segment. It grows only while it is in use: more than half of
/// it in slow start, all of it afterwards. While a connection is idle, each retransmission time-out
/// halves its window, down to the first size (RFC 2861).
///
/// Written bytes go into the send buffer first. The kernel makes room in this buffer for several
/// times the largest window so far, but never more than 4 MiB (tcp_sndbuf_expand() in tcp_input.c,
/// the usual tcp_wmem). A writer goes on when its last byte is in the buffer.
class Stream {
 public:
  struct Settings {
    int mtu = 1500;
    std::int64_t packet_bytes = 16384;  ///< most TCP payload of a packet (gso_max_size)
    double first_window_segments = 10;  ///< of a new connection (RFC 6928)
  };

  /// All arguments must outlive the stream. Acknowledgements take the path `back`.
  Stream(Network& network, Queues& queues, const Path& path, const Path& back,
         const Settings& settings)
      : network_{&network},
        queues_{&queues},
        path_{&path},
        back_{&back},
        settings_{&settings},
        window_segments_{settings.first_window_segments},
        largest_window_segments_{window_segments_} {}

  /// Sends bytes after all that were written before. Calls `accepted`, unless it is null, when the
  /// last byte is in the send buffer, and `arrived` when it has arrived at the other end.
  void write(std::int64_t bytes, Then accepted, Then arrived);

 private:
  struct Piece {
    std::int64_t left;  ///< bytes that are not in the queue yet
    bool is_long;       ///< longer than the window
    Then accepted;
    Then arrived;
  };

  void send();
  void accept();
  std::int64_t buffer_bytes() const;
  void shrink_after_idleness();
  bool has_room();
  std::int64_t window_bytes() const;
  Then when_arrived(std::int64_t bytes);
  void acknowledged(std::int64_t bytes);

  Network* network_;
  Queues* queues_;
  const Path* path_;
  const Path* back_;
  const Settings* settings_;
  std::vector<Piece> pieces_;
  /// When the two latest packets leave the queue of the worker's link, the earlier one first.
  std::array<double, 2> leave_at_s_{};
  double window_segments_;
  double largest_window_segments_;
  double last_sent_s_ = 0;
  std::int64_t in_flight_ = 0;  ///< unacknowledged bytes of long pieces, without their last packets
  bool waits_ = false;          ///< for a packet to leave the queue of the worker's link
  bool sends_ = false;          ///< send() is running
};

}  // namespace pacbench::simulate
