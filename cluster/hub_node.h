#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "cluster/awaitable.h"
#include "cluster/connection.h"
#include "cluster/messages.h"

namespace pacbench::cluster {

/// A node as the hub sees it, once it has joined.
class HubNode {
 public:
  HubNode(boost::asio::io_context& io, Join join, std::shared_ptr<Connection> connection);

  const Join& join() const { return join_; }
  /// The node in words, "node HOST (rank 2)", with the reason of its loss when it is lost.
  std::string who() const;
  bool lost() const { return lost_; }

  void send(const Json& message) { connection_->send(message); }

  /// Sends a message and waits for the answer that has this key (see key_of). Throws
  /// std::runtime_error naming the node when the node is lost or does not answer for a minute.
  boost::asio::awaitable<Json> ask(Json message, std::string key);

  /// Hands an answer to whoever waits for it; false when nobody does.
  bool take_answer(const Json& message);

  void lose(const std::string& reason);
  void close() { connection_->close(); }

 private:
  struct Waiting {
    Waiting(boost::asio::io_context& io, std::chrono::seconds time) : timer{io, time} {}

    boost::asio::steady_timer timer;
    Json answer;
  };

  boost::asio::io_context& io_;
  Join join_;
  std::shared_ptr<Connection> connection_;
  std::map<std::string, std::deque<std::shared_ptr<Waiting>>> waiting_;
  bool lost_ = false;
  std::string reason_;
};

/// The key under which an answer is waited for: its type. For spawned and not_spawned it is
/// spawned_key() of their program.
std::string key_of(const Json& message);
std::string spawned_key(int program);

}  // namespace pacbench::cluster
