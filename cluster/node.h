#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <memory>
#include <optional>
#include <string>

#include "cluster/awaitable.h"
#include "cluster/connection.h"
#include "cluster/made_links.h"
#include "cluster/node_programs.h"

namespace pacbench::cluster {

struct NodeOptions {
  std::string hub;  ///< host name or address
  std::string port;
  int rank = 0;
  std::string token;
  std::string interface;  ///< crossed by exchanges; empty: the interface that leads to the hub
};

/// Serves one rank on its host: makes links when the hub asks for them, starts programs for the
/// hub, and reports their output and their end. All of it ends with the connection to the hub.
class Node {
 public:
  explicit Node(NodeOptions options);

  /// Serves until the hub ends the connection. Throws std::runtime_error saying why the node could
  /// not join or go on, or which signal told it to end.
  void run();

 private:
  boost::asio::awaitable<void> serve();
  boost::asio::awaitable<void> connect();
  void await_signal();
  void take(const Json& message);
  void make(const Make& wanted);
  Counted count();
  void end(const std::string& reason);

  NodeOptions options_;
  boost::asio::io_context io_;
  boost::asio::signal_set signals_;
  std::shared_ptr<Connection> hub_;
  std::string control_interface_;
  std::optional<NodePrograms> programs_;  ///< on the host itself
  std::optional<MadeLinks> links_;        ///< while there are links, programs run inside them
  std::string failure_;
};

}  // namespace pacbench::cluster
