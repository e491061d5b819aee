#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <deque>
#include <map>
#include <memory>
#include <string>

#include "cluster/connection.h"
#include "cluster/messages.h"

namespace pacbench::cluster {

/// An answer that a node owes.
struct Waiting {
  boost::asio::steady_timer timer;
  Json answer{};
};
using Awaited = std::shared_ptr<Waiting>;

/// A node as the hub sees it, once it has joined.
class HubNode {
 public:
  HubNode(boost::asio::io_context& io, Join join, std::shared_ptr<Connection> connection);

  const Join& join() const { return join_; }
  /// The node in words, "node HOST (rank 2)", with the reason of its loss when it is lost.
  std::string who() const;
  bool lost() const { return lost_; }

  void send(const Json& message) { connection_->send(message); }

  /// Sends a message whose answer will have the key `key`. That is the answer's type, except that
  /// spawned and not_spawned have spawned_key() of their program, and not_made has the key of made.
  /// Throws std::runtime_error naming the node when the node is lost.
  Awaited ask_for(const Json& message, const std::string& key);

  /// Waits for the answer. Throws std::runtime_error naming the node when the node is lost, or has
  /// not answered a minute after it was asked.
  boost::asio::awaitable<Json> answer(Awaited awaited);

  /// Sends a message and waits for its answer; throws as ask_for() and answer() do.
  boost::asio::awaitable<Json> ask(Json message, std::string key);

  /// Hands an answer to whoever waits for it.
  void take_answer(const Json& message);

  void lose(const std::string& reason);
  void close() { connection_->close(); }

 private:
  boost::asio::io_context& io_;
  Join join_;
  std::shared_ptr<Connection> connection_;
  std::map<std::string, std::deque<Awaited>> waiting_;
  bool lost_ = false;
  std::string reason_;
};

std::string spawned_key(int program);

}  // namespace pacbench::cluster
