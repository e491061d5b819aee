#pragma once

#include <boost/asio/posix/stream_descriptor.hpp>
#include <deque>
#include <functional>

#include "base/json/message_socket.h"

namespace pacbench::netem {

/// The messages to the client, in order.
class Outbox {
 public:
  static constexpr std::size_t kMostWaiting = 20'000;

  /// `ready` is the socket, to wait on. `lost` is called with the reason when an event can no
  /// longer be sent.
  Outbox(MessageSocket& socket, boost::asio::posix::stream_descriptor& ready,
         std::function<void(const char*)> lost)
      : socket_{socket}, ready_{ready}, lost_{std::move(lost)} {}

  /// Sends a reply that the client waits for. Throws std::system_error, also when the client reads
  /// nothing for the socket's time limit.
  void reply(const Json& message);

  /// Sends an event once the socket has room, so that a client that is slow to read delays nothing
  /// else that the daemon has to do.
  void tell(Json event);

 private:
  void send_waiting();
  void await_room();
  bool has_room() const;

  MessageSocket& socket_;
  boost::asio::posix::stream_descriptor& ready_;
  std::function<void(const char*)> lost_;
  std::deque<Json> waiting_;
  bool awaiting_room_ = false;
};

}  // namespace pacbench::netem
