#pragma once

#include <utility>  // Boost 1.74's awaitable.hpp needs it and does not include it

#include <boost/asio/awaitable.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/json/json_reader.h"
#include "base/unique_fd.h"

namespace pacbench::cluster {

using Tcp = boost::asio::ip::tcp;

/// A connection between the hub and a node over TCP, or between two programs of a host over a Unix
/// stream socket. A message is four bytes of length (network order), then a document as
/// MessagePack, so that the bytes of a program's output travel as they are.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  static constexpr std::size_t kMaxBytes = 16 << 20;

  explicit Connection(Tcp::socket socket);
  explicit Connection(boost::asio::local::stream_protocol::socket socket);

  /// Returns the next message, or nothing when the other side has gone. Throws ProtocolError on a
  /// message that is longer than `most_bytes` or is no object.
  boost::asio::awaitable<std::optional<Json>> receive(std::size_t most_bytes = kMaxBytes);

  /// Queues a message. What cannot be sent is dropped: receive() reports that the other side has
  /// gone.
  void send(const Json& message);

  void close();

  /// This end's dotted IPv4 address; the connection must be one over TCP.
  std::string own_address() const;

 private:
  void send_next();

  boost::asio::generic::stream_protocol::socket socket_;
  std::deque<std::vector<std::uint8_t>> waiting_;  ///< the first one is being sent
};

/// One end of a pipe: bytes are read from it, or written to it.
class PipeEnd : public std::enable_shared_from_this<PipeEnd> {
 public:
  PipeEnd(boost::asio::io_context& io, UniqueFd fd);

  /// Calls `take` with the bytes that come, and with an empty string at the pipe's end.
  void read(std::function<void(std::string)> take);

  /// Writes in order, as the pipe has room. Empty `bytes` close the pipe once all is written. What
  /// a closed pipe does not accept is dropped.
  void write(std::string bytes);

 private:
  void write_next();

  boost::asio::posix::stream_descriptor end_;
  std::string buffer_;
  std::deque<std::string> waiting_;
};

}  // namespace pacbench::cluster
