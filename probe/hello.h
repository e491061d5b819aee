#pragma once

#include <cstdint>

namespace pacbench::probe {

inline constexpr std::uint16_t kDefaultPort = 4501;

/// The kind of traffic over a connection, sent once at its beginning in a Hello. Structures are
/// sent as they are in memory, since both ends run this program. On links that pacbench makes, both
/// ends are on one host and share its CLOCK_MONOTONIC. On the links of a cluster, and after
/// kRequest (probe/request.h), the ends are on two hosts.
enum class Kind : std::uint32_t { kFlow = 1, kMessages, kPing, kDatagrams, kRequest, kOverflow };

struct Hello {
  static constexpr std::uint32_t kMagic = 0x50616342;

  std::uint32_t magic = kMagic;
  Kind kind = Kind::kFlow;
};

/// The first bytes of a message; `bytes` is the size of the message, this head included.
struct MessageHead {
  std::int64_t bytes = 0;
  std::int64_t start_ns = 0;  ///< just before the message was handed to the socket
  std::int64_t number = 0;    ///< below 0: to warm the connection up, and not reported
};

/// The first bytes of a datagram.
struct DatagramHead {
  std::int64_t start_ns = 0;
  std::int64_t number = 0;
};

/// Messages on the TCP connection that goes with a stream of datagrams. DatagramPort answers the
/// hello kDatagrams, or kOverflow where the stream is to overflow a queue, with the server's UDP
/// port. DatagramEnd tells, at the end of every stream, how many datagrams were sent.
struct DatagramPort {
  std::uint16_t port = 0;
};
struct DatagramEnd {
  std::int64_t sent = 0;
};

}  // namespace pacbench::probe
