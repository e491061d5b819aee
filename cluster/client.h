#pragma once

#include <boost/asio/posix/stream_descriptor.hpp>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/json/message_socket.h"
#include "cluster/hub_node.h"
#include "contract/fabric/netd_protocol.h"

namespace pacbench::cluster {

/// The nodes of a run, by rank; null for a node that has not joined yet.
using Nodes = std::vector<std::shared_ptr<HubNode>>;

/// The hub's end of one connection of pacbench. It answers requests as pacbench-netd does
/// (contract/fabric/netd_protocol.h), over the nodes' own links or over links that the nodes make.
/// Its programs and made links end with the connection.
class Client : public std::enable_shared_from_this<Client> {
 public:
  /// The state that all clients of a hub share.
  struct Shared {
    int next_program = 0;
    int next_fabric = 0;     ///< for netd::Uplink::fabric
    bool has_links = false;  ///< nodes have made links: they make those of one client at a time
  };

  Client(boost::asio::io_context& io, UniqueFd connection, const Nodes& nodes, Shared& shared);

  /// Serves requests until the connection ends, then ends its programs and removes its links.
  boost::asio::awaitable<void> serve();

  /// Handles a node's message about one of this client's programs; returns false for any other
  /// message.
  bool take(const Json& message);

  /// Reports `reason` as an error to the client and stops reading its requests, which ends the
  /// connection.
  void give_up(const std::string& reason);

 private:
  /// A program on a node. The client knows it by `process`, the hub by its key in `programs_`.
  struct Program {
    int process;
    int slot;
    bool running = true;
    std::map<int, std::shared_ptr<PipeEnd>> outputs;
  };

  boost::asio::awaitable<void> serve_requests();
  boost::asio::awaitable<Json> answer(Message message);
  boost::asio::awaitable<Json> create(Json request);
  boost::asio::awaitable<void> make_links(netd::CreateRequest request, netd::CreatedReply& reply);
  boost::asio::awaitable<void> unmake_links();
  boost::asio::awaitable<Json> spawn(Json request, std::vector<UniqueFd> fds);
  boost::asio::awaitable<Counted> counted(int slot);
  boost::asio::awaitable<Json> counters();
  Json signal(const Json& request);
  boost::asio::awaitable<void> end_programs();
  void connect(int number, std::vector<UniqueFd> fds, const std::string& descriptors);
  HubNode& node_of(const Program& program) const;
  bool runs(const Program& program) const;
  void tell(const Json& event);
  void require_nodes(std::size_t workers) const;

  boost::asio::io_context& io_;
  MessageSocket socket_;
  boost::asio::posix::stream_descriptor readable_;  ///< the same socket, to wait on
  const Nodes& nodes_;
  Shared& shared_;
  int makers_ = 0;                 ///< how many nodes have been asked to make links
  int workers_ = 0;                ///< 0 until a request "create" has succeeded
  std::vector<Counted> at_start_;  ///< each node's counters when the client sent create
  int next_process_ = 0;
  std::map<int, Program> programs_;  ///< by the number that the hub gave each program
};

}  // namespace pacbench::cluster
