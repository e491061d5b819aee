#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/json_reader.h"
#include "cluster/awaitable.h"

namespace pacbench::cluster {

using Tcp = boost::asio::ip::tcp;

/// Messages over TCP between the hub and a node: four bytes of length (network order), then the
/// document as MessagePack, so that the bytes of a program's output travel as they are.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  static constexpr std::size_t kMaxBytes = 16 << 20;

  explicit Connection(Tcp::socket socket);

  /// Returns the next message, or nothing when the other side has gone. Throws ProtocolError on a
  /// message that is longer than `most_bytes` or is no object.
  boost::asio::awaitable<std::optional<Json>> receive(std::size_t most_bytes = kMaxBytes);

  /// Queues a message. What cannot be sent is dropped: receive() reports that the other side has
  /// gone.
  void send(const Json& message);

  bool all_sent() const { return waiting_.empty(); }
  void close();

  std::string own_address() const;   ///< dotted IPv4
  std::string peer_address() const;  ///< likewise

 private:
  void send_next();

  Tcp::socket socket_;
  std::deque<std::vector<std::uint8_t>> waiting_;  ///< the first one is being sent
};

}  // namespace pacbench::cluster
