#pragma once

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
/// kernel cuts all that is written into packets as long as possible. So a short message that waits
/// behind a longer one shares its last packet. Connections of one worker take turns in the queue of
/// its link: the kernel lets two packets of each into this queue, or as many as the connection
/// sends in a millisecond at its pacing rate, if these are more (tcp_small_queue_check() in
/// tcp_output.c). A message longer than the congestion window waits for acknowledgements, which
/// wait in queues themselves.
///
/// The window is that of CUBIC without losses (Linux, net/ipv4/tcp_cubic.c). It begins with ten
/// segments. Up to 16 segments it grows by one for each acknowledged segment. At 16, HyStart ends
/// slow start, since queues delay the acknowledgements. Afterwards the window grows by a twentieth
/// of a segment for each acknowledged segment. It grows only while it is in use: in slow start
/// while more than half of it is under way, afterwards until all is acknowledged that was under way
/// when the window was last full (tcp_cwnd_validate() in tcp_output.c). While a connection is idle,
/// each retransmission time-out halves its window, down to the first size (RFC 2861).
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
    bool is_answered;   ///< all its packets but the one with its end are acknowledged
    Then accepted;
    Then arrived;
  };

  /// A packet that is in the queue of the sending worker's link.
  struct Queued {
    double leaves_at_s;
    std::int64_t bytes;
  };
  /// A packet that is not acknowledged yet.
  struct UnderWay {
    double sent_s;
    std::int64_t bytes;
  };

  void send();
  void accept();
  std::int64_t buffer_bytes() const;
  void shrink_after_idleness();
  bool has_room();
  bool queue_has_room();
  std::int64_t packet_bytes() const;
  std::int64_t window_bytes() const;
  std::int64_t cut_packet(std::vector<Then>& arrived);
  Then when_arrived(std::int64_t bytes);
  void acknowledged();

  Network* network_;
  Queues* queues_;
  const Path* path_;
  const Path* back_;
  const Settings* settings_;
  std::vector<Piece> pieces_;
  std::vector<Queued> queued_;       ///< the first to leave in front
  std::vector<UnderWay> under_way_;  ///< of long and answered pieces, the first sent in front
  double window_segments_;
  double largest_window_segments_;
  double last_sent_s_ = 0;
  double round_trip_s_ = 0;      ///< smoothed as in RFC 6298; 0: none was measured
  std::int64_t in_flight_ = 0;   ///< the bytes of under_way_
  std::int64_t full_until_ = 0;  ///< bytes to acknowledge until the window counts as not in use
  bool waits_ = false;           ///< for a packet to leave the queue of the worker's link
  bool sends_ = false;           ///< send() is running
};

}  // namespace pacbench::simulate
