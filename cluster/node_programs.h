#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "base/unique_fd.h"
#include "cluster/node_program.h"

namespace pacbench::cluster {

/// The programs of a rank, on its host or inside links that were made for it. All of them end with
/// this object.
class NodePrograms {
 public:
  using Tell = NodeProgram::Tell;

  /// `address`: the IPv4 address on the control network of this host, or, inside made links, of
  /// this process's network namespace. `tell` gets the messages for the hub.
  NodePrograms(boost::asio::io_context& io, std::string address, Tell tell);

  /// Handles a message of the hub that is about programs; returns false when it is about something
  /// else.
  bool take(const Json& message);

 private:
  void listen_for_ranks();
  void spawn(const Spawn& wanted);
  void pass_on(const Json& message);
  NodeProgram* program(int number) const;

  boost::asio::io_context& io_;
  std::string address_;
  Tell tell_;
  UniqueFd rendezvous_;  ///< listens for the ranks of the next cell; only on the node of rank 0
  std::map<int, std::unique_ptr<NodeProgram>> programs_;
};

}  // namespace pacbench::cluster
