#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <memory>
#include <string>

#include "cluster/connection.h"
#include "contract/fabric/netd_client.h"

namespace pacbench::cluster {

/// Shaped links of a node's rank, and a `pacbench-cluster inside` that runs the rank's programs in
/// their namespace. Both end with this object.
class MadeLinks {
 public:
  struct Listener {
    std::function<void(const Json&)> tell;           ///< gets the messages for the hub
    std::function<void(const std::string&)> failed;  ///< gets the reason why programs cannot go on
  };

  /// Asks a pacbench-netd to make the links. Where this process is root, that is a daemon of this
  /// object's own, else the host's service. Throws as netd::Client does.
  MadeLinks(boost::asio::io_context& io, const netd::CreateRequest& request, Listener listener);
  ~MadeLinks();
  MadeLinks(const MadeLinks&) = delete;
  MadeLinks& operator=(const MadeLinks&) = delete;

  const netd::CreatedReply& created() const { return created_; }
  netd::CountersReply counters() { return daemon_.counters(); }

  /// Passes a message of the hub to the programs inside.
  void pass(const Json& message) { inside_->send(message); }

 private:
  UniqueFd start_inside(const netd::Uplink& uplink);
  boost::asio::awaitable<void> relay();

  Listener listener_;
  netd::Client daemon_;
  netd::CreatedReply created_;
  std::shared_ptr<Connection> inside_;
  /// False once this object has gone, for the coroutine that outlives it.
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

/// Runs a rank's programs for the node that has started this process with MadeLinks, until the node
/// closes the connection. `address`: this namespace's IPv4 address on the control network.
void run_inside(const std::string& address);

}  // namespace pacbench::cluster
