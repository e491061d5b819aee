#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "base/json/json_reader.h"
#include "base/unique_fd.h"

namespace pacbench {

/// A JSON document and the file descriptors that are sent with it.
struct Message {
  Json body;
  std::vector<UniqueFd> fds;
};

/// Two ends of a Unix stream socket, both closed on exec.
std::pair<UniqueFd, UniqueFd> socket_pair();

/// Sends and receives messages over a connected Unix stream socket; calls block. A message is its
/// length in four bytes (network order), then the JSON text. Descriptors go with the first byte of
/// the length by SCM_RIGHTS.
class MessageSocket {
 public:
  static constexpr std::size_t kMaxBytes = 1 << 20;  ///< of JSON text; a longer message is refused
  static constexpr std::size_t kMaxFds = 16;

  explicit MessageSocket(UniqueFd socket) : socket_{std::move(socket)} {}

  int fd() const { return socket_.get(); }

  /// From now on, send() and receive() fail with EAGAIN once a call has lasted `time`, which
  /// includes the wait for a message's first byte. So a peer that stops within a message, or sends
  /// byte by byte, cannot block us for longer.
  void limit_waiting(std::chrono::milliseconds time) { most_ = time; }

  /// Sends a message. Throws std::system_error (EPIPE when the peer has gone), and ProtocolError
  /// when the message is too long or has too many descriptors.
  void send(const Json& body, const std::vector<int>& fds = {});

  /// The next message, or nothing when the peer has closed the connection. Throws ProtocolError for
  /// a message that is too long, is cut short, has too many descriptors, or has a text that
  /// parse_json() refuses. Throws std::system_error when receiving fails.
  std::optional<Message> receive();

 private:
  UniqueFd socket_;
  std::optional<std::chrono::milliseconds> most_;  ///< for a call; nothing: no limit
};

}  // namespace pacbench
