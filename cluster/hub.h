#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/signal_set.hpp>
#include <list>
#include <memory>
#include <string>

#include "cluster/awaitable.h"
#include "cluster/client.h"

namespace pacbench::cluster {

struct HubOptions {
  std::string socket;  ///< path at which pacbench connects
  std::string bind = "0.0.0.0";
  std::uint16_t port = 0;  ///< 0: any
  int nodes = 1;
  std::string token;
  bool share_hosts = false;  ///< several nodes may be on one host, since each makes its own links
};

/// Connects the nodes of a run. Does for pacbench, with the nodes' links, what pacbench-netd does
/// with links that pacbench-netd makes. Writes a JSON line to the standard output for each of these
/// events:
///   {"event": "listening", "port"}, {"event": "joined", "rank", "host"},
///   {"event": "refused", "rank", "host", "reason"} only for a node that has the run's token,
///   {"event": "lost", "rank", "host", "reason"}
class Hub {
 public:
  explicit Hub(HubOptions options);

  /// Serves until SIGTERM or SIGINT, or the end of the standard input, whose lines may be:
  ///   {"at_end": WORDS}   a command that the hub runs when it ends
  ///   {"explain": WORDS}  a command whose output tells more about why nodes were lost
  void run();

 private:
  using Local = boost::asio::local::stream_protocol;

  boost::asio::awaitable<void> accept_nodes();
  boost::asio::awaitable<void> accept_clients();
  boost::asio::awaitable<void> serve_node(std::shared_ptr<Connection> connection);
  boost::asio::awaitable<void> serve_client(UniqueFd connection);
  boost::asio::awaitable<void> take_input();
  void take_line(const std::string& line);
  std::string objection(const Join& join) const;
  void take(HubNode& node, const Json& message);
  void lose(HubNode& node, const std::string& reason);

  HubOptions options_;
  boost::asio::io_context io_;
  Tcp::acceptor for_nodes_;
  Local::acceptor for_clients_;
  boost::asio::signal_set signals_;
  Nodes nodes_;
  std::list<std::shared_ptr<Client>> clients_;
  Client::Shared shared_;
  std::vector<std::string> at_end_;
  std::vector<std::string> explain_;
};

}  // namespace pacbench::cluster
