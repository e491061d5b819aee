#pragma once

#include <netinet/in.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "base/json/json_reader.h"
#include "probe/arrivals.h"
#include "probe/hello.h"
#include "probe/taking.h"

namespace pacbench::probe {

struct Request;

/// Numbered datagrams, sent at equal intervals.
struct DatagramStream {
  std::int64_t count = 0;
  int bytes = 200;
  double interval_us = 1000;
  /// How many sockets send them in turn. The kernel lets a socket have only some hundred datagrams
  /// in queues, so a long queue overflows by several sockets only.
  int sockets = 1;
  double start_ms = 0;  ///< after the connection is ready
};

/// Sends the stream's datagrams, or fewer when told to stop. A datagram for which its socket has no
/// room is not sent, where there are several sockets. Returns how many were sent.
std::int64_t send_stream(const std::vector<int>& sockets, const sockaddr_in& to,
                         const DatagramStream& stream);

/// The datagrams that a receiver accepts as those of its sender.
struct AcceptedDatagrams {
  in_addr_t from = INADDR_ANY;  ///< sender's address in network order; INADDR_ANY: any
  std::int64_t most = std::numeric_limits<std::int64_t>::max();
  int silence_ms = 500;  ///< half of the time without a datagram after which none is expected
};

struct ReceivedStream {
  Arrivals arrivals;
  Taken taken;
  std::int64_t sent = 0;  ///< as the sender said; the number received if it has not said it
};
/// Receives a stream until `accepted.most` datagrams have come, or until its sender has said over
/// `connection` how many it sent and then nothing came for twice `accepted.silence_ms`. Throws
/// std::runtime_error when the sender closes `connection` without having said so.
ReceivedStream receive_stream(int connection, int socket, const AcceptedDatagrams& accepted);

/// An object with the stream's counts (Arrivals::counts), "jitter_us", "first_ns" and "last_ns".
Json to_json(const ReceivedStream& stream);

/// The stream that a request for datagrams asks for: as many datagrams as its seconds and its bytes
/// allow, but at least one.
DatagramStream stream_of(const Request& request);

struct DatagramsOptions {
  std::string address;
  std::uint16_t port = kDefaultPort;
  DatagramStream stream;
};

/// Sends a stream, and says over a TCP connection how many datagrams there were.
void send_datagrams(const DatagramsOptions& options);

/// Receives a stream of send_datagrams(), and returns its counts and delays; see the program's
/// --help.
Json receive_datagrams(int connection, Kind kind);

}  // namespace pacbench::probe
