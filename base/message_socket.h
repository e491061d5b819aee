#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "base/json_reader.h"
#include "base/unique_fd.h"

namespace pacbench {

/// A JSON document with the file descriptors that travel beside it.
struct Message {
  Json body;
  std::vector<UniqueFd> fds;
};

/// Two ends of a Unix stream socket, both closed on exec.
std::pair<UniqueFd, UniqueFd> socket_pair();

/// Sends and receives messages over a connected Unix stream socket: four bytes of length (network
/// order), then JSON; descriptors go with the first byte by SCM_RIGHTS. Blocking.
class MessageSocket {
 public:
  static constexpr std::size_t kMaxBytes = 1 << 20;  ///< a longer message is refused
  static constexpr std::size_t kMaxFds = 16;

  explicit MessageSocket(UniqueFd socket) : socket_{std::move(socket)} {}

  int fd() const { return socket_.get(); }

  /// From now on, sending or receiving a message fails with EAGAIN once it has taken `time` in all.
  /// So a peer that stops within a message, or sends byte by byte, cannot block us for longer.
  void limit_waiting(std::chrono::milliseconds time) { most_ = time; }

  /// Sends a message. Throws std::system_error (EPIPE when the peer has gone).
  void send(const Json& body, const std::vector<int>& fds = {});

  /// The next message, or nothing when the peer has closed the connection. Throws ProtocolError
  /// on a message that is too long, too deep, cut short, or not JSON.
  std::optional<Message> receive();

 private:
  UniqueFd socket_;
  std::optional<std::chrono::milliseconds> most_;  ///< for a message; nothing: any time
};

}  // namespace pacbench
