#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <map>
#include <memory>
#include <string>

#include "cluster/awaitable.h"
#include "cluster/connection.h"
#include "cluster/node_program.h"

namespace pacbench::cluster {

struct NodeOptions {
  std::string hub;  ///< host name or address
  std::string port;
  int rank = 0;
  std::string token;
  std::string interface;  ///< that exchanges cross; empty: the one that leads to the hub
};

/// Serves one rank on its host: starts programs for the hub, and reports their output and their
/// end. All programs end with the connection to the hub.
class Node {
 public:
  explicit Node(NodeOptions options);

  /// Serves until the hub ends the connection. Throws std::runtime_error saying why the node could
  /// not join, or which signal told it to end.
  void run();

 private:
  boost::asio::awaitable<void> serve();
  boost::asio::awaitable<void> connect();
  void await_signal();
  void take(const Json& message);
  void spawn(const Spawn& wanted);
  void listen_for_ranks();
  void count();
  void tell(const Json& message);

  NodeOptions options_;
  boost::asio::io_context io_;
  boost::asio::signal_set signals_;
  std::shared_ptr<Connection> hub_;
  std::string control_interface_;
  UniqueFd rendezvous_;  ///< listens for the ranks of the next cell (rank 0)
  std::map<int, std::unique_ptr<NodeProgram>> programs_;
  std::string failure_;
};

}  // namespace pacbench::cluster
